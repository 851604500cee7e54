/* Functions for `cargo xtask compare --own`: FNV-1a with 32 bits, and the same from a seed.
 *
 *     cc -O2 -shared -fPIC -o libmine.so my_hash.c
 *     cargo xtask compare --own ./libmine.so:my_hash:32 --own ./libmine.so:my_seeded_hash:32:seed
 */
#include <stddef.h>
#include <stdint.h>

/* Returns 64 bits, of which the command line names those that the hash has: the rest must be 0. */
uint64_t my_seeded_hash(const void *data, size_t length, uint64_t seed)
{
    const unsigned char *bytes = data;
    uint32_t hash = 2166136261u ^ (uint32_t)seed;

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ bytes[i]) * 16777619u;
    return hash;
}

uint64_t my_hash(const void *data, size_t length)
{
    return my_seeded_hash(data, length, 0);
}
