/* Bloom filter policies for LevelDB, as callbacks for leveldb_filterpolicy_create.
 *
 *   leveldb_filterpolicy_t* policy = leveldb_filterpolicy_create(
 *       filter_policy_new(10, FILTER_POLICY_HASH_LEVELDB), filter_policy_destroy,
 *       filter_policy_create_filter, filter_policy_key_may_match, filter_policy_name);
 *   leveldb_options_set_filter_policy(options, policy);
 *
 * All functions may be called from any number of threads at once; filter_policy_destroy comes last, and once.
 * None of them throws. A null state is allowed everywhere: it stands for a policy that could not be made, whose
 * filters say "may match" to every key, so that nothing is lost by it.
 *
 * Licensed under MIT or Apache-2.0, as you choose.
 */
#ifndef FILTER_POLICY_LEVELDB_H_
#define FILTER_POLICY_LEVELDB_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The hash function of a policy, and with it the name under which LevelDB stores the filters. LevelDB ignores
 * filters of another name: a database whose policy has changed loses speed, never keys. */
typedef enum {
  /* MurmurHash2, seed 5381, trailing bytes unsigned. Name: "BloomFilter2". Programs that hash plain char where
   * it is signed write other bits under this name; do not read their databases with this policy. */
  FILTER_POLICY_HASH_MURMUR2 = 0,
  /* LevelDB's own. Name: "leveldb.BuiltinBloomFilter2". Filters are those of leveldb_filterpolicy_create_bloom,
   * byte for byte, so that either reads what the other wrote. */
  FILTER_POLICY_HASH_LEVELDB = 1
} filter_policy_hash;

/* A policy that gives each key this many bits: 10 let about 1 absent key in 100 pass, 15 about 1 in 1000.
 * NULL if bits_per_key is below 1, if the hash is unknown, or if there is no memory. */
void* filter_policy_new(int bits_per_key, filter_policy_hash hash);

/* Frees a policy. LevelDB calls it from leveldb_filterpolicy_destroy, which must come after leveldb_close. */
void filter_policy_destroy(void* state);

/* The filter of these keys, in memory from malloc that the caller frees; *filter_length receives its length.
 * Keys are bytes, and may be empty (whatever the pointer), equal, and hold NUL. No keys make a filter that
 * denies every key.
 *
 * The result is never null and never empty. Where the filter cannot be made, it is the two bytes 00 ff, to which
 * every reader of the format says "may match": no memory, a negative count, one above 2^30 (more keys than a
 * table of LevelDB's can hold), a filter above 2^32 - 1 bytes (LevelDB addresses filters with 32 bits), a null
 * array or a null key of a length above 0, a null state, a null filter_length. A policy keeps eight such answers
 * in reserve for when malloc refuses even two bytes; when they too are used up, or the state is null and has
 * none, the program is aborted, since the keys of this filter would be lost. */
char* filter_policy_create_filter(void* state, const char* const* keys, const size_t* key_lengths, int num_keys,
                                  size_t* filter_length);

/* 0 if the filter surely does not hold the key, else 1. Any bytes may be asked: fewer than two deny every key, a
 * last byte above 30 denies none. A null key or filter of a length above 0, and a null state, give 1. */
unsigned char filter_policy_key_may_match(void* state, const char* key, size_t length, const char* filter,
                                          size_t filter_length);

/* The name of the policy, with a NUL at its end; it stays valid for as long as the library is loaded. For a null
 * state a name that no stored filter has. */
const char* filter_policy_name(void* state);

#ifdef __cplusplus
}
#endif

#endif /* FILTER_POLICY_LEVELDB_H_ */
