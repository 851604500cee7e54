/* Bloom filter policies for LevelDB and for other engines.
 *
 * With LevelDB's C interface, include filter_policy_for_leveldb.h, whose one function returns a finished
 * leveldb_filterpolicy_t. This header has the functions that such an object calls, for C++ and for engines of your own.
 *
 * All functions may be called from several threads at once, except filter_policy_destroy, which is called once, last.
 * No function throws. A null state is allowed everywhere. It stands for a policy that could not be created; its
 * filters answer "may match" for every key, so no key is lost.
 *
 * Keys are hashed as they are. If your comparator treats different bytes as equal, bring keys into one form first: a key
 * that is stored in one spelling is denied in another.
 *
 * Licensed under MIT or Apache-2.0, at your choice.
 */
#ifndef FILTER_POLICY_LEVELDB_H_
#define FILTER_POLICY_LEVELDB_H_

#include <stddef.h>

/* The version of this header. Functions and numbers are only added, so a program can ask for the version that added
 * what it needs. */
#define FILTER_POLICY_LEVELDB_VERSION_MAJOR 0
#define FILTER_POLICY_LEVELDB_VERSION_MINOR 1
#define FILTER_POLICY_LEVELDB_VERSION_PATCH 0
#define FILTER_POLICY_LEVELDB_VERSION "0.1.0"

/* The most bits per key that a policy accepts. LevelDB stores the offsets of a table's filters in 32 bits: if they exceed
 * 4 GiB together, every key of the table is denied. Up to this limit they do not, in any table of distinct keys that
 * LevelDB writes, whatever its options. */
#define FILTER_POLICY_MAX_BITS_PER_KEY 60

#ifdef __cplusplus
extern "C" {
#endif

/* The number of a policy. It determines the hash function, the filter format, and the name under which LevelDB stores
 * the filters. LevelDB ignores filters under other names: a database whose policy changes loses speed, never keys. New
 * numbers are added at the end, and numbers are never reused. */
typedef enum {
  /* MurmurHash2, seed 5381, trailing bytes unsigned. Name: "BloomFilter2". Programs that hash plain char on platforms
   * where it is signed write different bits under this name: do not read their databases with this policy. */
  FILTER_POLICY_BLOOM_FILTER2 = 0,
  /* LevelDB's own hash and name, "leveldb.BuiltinBloomFilter2". The filters are identical to those of
   * leveldb_filterpolicy_create_bloom: each policy reads the other's. */
  FILTER_POLICY_LEVELDB = 1,
  /* A 64-bit hash and LevelDB's layout. It has the lowest false-positive rate of the Bloom filters here, above all in
   * small filters. Name: "BloomFilter64.Xxph3". */
  FILTER_POLICY_BLOOM64 = 2,
  /* RocksDB's Bloom filter since its format version 5, byte for byte. A lookup reads only 64 bytes of a filter, however
   * large it is. Every filter takes at least 69 bytes, where the other Bloom filters take 26 for 20 keys.
   * Name: "rocksdb.internal.FastLocalBloomFilter". */
  FILTER_POLICY_FAST_LOCAL_BLOOM = 3,
  /* RocksDB's Ribbon filter, byte for byte. It takes about 30 % less memory than FILTER_POLICY_FAST_LOCAL_BLOOM at the
   * same rate, is slower to build, and needs some 40 bytes per key while building. For few keys it writes a filter of
   * FILTER_POLICY_FAST_LOCAL_BLOOM if that is smaller. Name: "rocksdb.internal.Standard128RibbonFilter". LevelDB's own
   * policy would deny stored keys in filters of more than 7.9 million keys; only the name keeps it from reading them. */
  FILTER_POLICY_RIBBON = 4,
  /* FILTER_POLICY_BLOOM_FILTER2 and FILTER_POLICY_LEVELDB with filters of better sizes: at most 3 % or four bytes more
   * or fewer, so that far fewer of the numbers between stored numbers match. Names and readers are the same, and
   * LevelDB's own policy reads these filters; only the bytes differ from those that it would write. */
  FILTER_POLICY_BLOOM_FILTER2_COPRIME = 5,
  FILTER_POLICY_LEVELDB_COPRIME = 6,
  /* Blocks of 32 bytes, as in Parquet files, with the hash of FILTER_POLICY_BLOOM64: the fastest lookups, in one cache
   * line, at 1.25 % for 10 bits per key. Name: "SplitBlockBloomFilter.Xxph3". LevelDB's own policy would deny stored keys
   * in one filter of eight; only the name keeps it from reading them. */
  FILTER_POLICY_SPLIT_BLOCK_XXPH3 = 7,
  /* Pebble's binary fuse filter, byte for byte. The bits per key are a limit, below which fingerprints are as wide as
   * possible: with 10, 0.39 % in large filters. Widths are 4, 8, 10, 12 and 16 bits, so the filter can fall far below the
   * limit: 10,000 keys at 10 have 5.13 bits per key and 6.3 %; the next size up begins at 10.3 there, 9.6 for 100,000 keys
   * and 9.1 for 1,000,000. From some 15,000 keys on it is small and fast. Not for LevelDB's small
   * filters: 20 keys take 38 bytes for a rate of 6 %. Needs some 16 bytes per key while building. Name: "binaryfuse".
   * LevelDB's own policy would deny stored keys in every filter; only the name keeps it from reading them. */
  FILTER_POLICY_BINARY_FUSE = 8,
  /* The earlier names of the first two, after their hash functions. */
  FILTER_POLICY_HASH_MURMUR2 = 0,
  FILTER_POLICY_HASH_LEVELDB = 1
} filter_policy_number;

/* The earlier name of the type. */
typedef filter_policy_number filter_policy_hash;

/* A policy in use. Its functions below have the parameter types of leveldb_filterpolicy_create, so they take it as
 * void*; it is no leveldb_filterpolicy_t. */
typedef struct filter_policy_state filter_policy_state;

/* Creates a policy with this many bits per key, from 1 to FILTER_POLICY_MAX_BITS_PER_KEY: with 10, about 1 absent key in
 * 100 matches, with 15 about 1 in 1000. For FILTER_POLICY_RIBBON the number means the bits per key of a Bloom filter with
 * the same rate. Returns NULL if the bits per key are out of range, if the policy number is unknown, or if there is no
 * memory.
 *
 * C compiles swapped arguments, and cuts a fraction off, without a warning. filter_policy_create has neither trap. */
filter_policy_state* filter_policy_new(int bits_per_key, filter_policy_number policy);

/* The same for bits per key that need not be whole, such as 9.6. Returns NULL also for NaN. For a whole number the policy
 * is that of filter_policy_new. */
filter_policy_state* filter_policy_new_fractional(double bits_per_key, filter_policy_number policy);

/* Creates the policy of a name and bits per key, as configuration files have them: "bloom64:10", "leveldb:9.6". Names are
 * those under which databases store filters, and short ones; an unknown name gets the list of all in the message. Some
 * of them have no number, as "BloomFilter2.Seed9747b28c:10". The policy for ranges is refused: LevelDB queries
 * no ranges.
 *
 * Returns NULL if there is no such policy, or its bits per key are below 1 or above FILTER_POLICY_MAX_BITS_PER_KEY ("0.5",
 * "61"), and writes the reason into message[0..message_size), cut to fit and NUL-terminated; else writes an empty text. message may be NULL. */
filter_policy_state* filter_policy_parse(const char* text, char* message, size_t message_size);

/* Creates the policy that reads the filters stored under this name, of any bits per key: an engine finds the name beside
 * the filters. NULL means that the engine reads without them, as for a short name, under which filters are another
 * program's. The message and the rest are as in filter_policy_parse. */
filter_policy_state* filter_policy_reader(const char* name, char* message, size_t message_size);

/* Frees a policy. LevelDB calls it from leveldb_filterpolicy_destroy, which must come after leveldb_close. */
void filter_policy_destroy(void* state);

/* Builds the filter of these keys in memory from malloc, which the caller frees, and stores its length in
 * *filter_length. Keys are arbitrary bytes: they may be empty (with any pointer), equal, or contain NUL. The filter of
 * no keys denies every key; with FILTER_POLICY_RIBBON and FILTER_POLICY_BINARY_FUSE, where it would have no bytes, it is
 * 00 ff.
 *
 * The result is never null and never empty. If the filter cannot be built, the result is the two bytes 00 ff, to which
 * every policy here and LevelDB's own answer "may match". The causes are: no memory; a count that is negative or above
 * 2^30 (more keys than a LevelDB table can hold); a filter above 2^32 - 1 bytes (LevelDB addresses filters with 32
 * bits); a null array; a null key of a length above 0; a null state; a null filter_length. When malloc refuses even two
 * bytes, the program aborts, because otherwise the keys of this filter would be lost. */
char* filter_policy_create_filter(void* state, const char* const* keys, const size_t* key_lengths, int num_keys,
                                  size_t* filter_length);

/* Returns 0 if the filter certainly does not contain the key, else 1. The filter may be any bytes:
 *
 * - 00 ff denies no key.
 * - Too few bytes deny every key: fewer than two; with RocksDB's policies fewer than six; with
 *   FILTER_POLICY_SPLIT_BLOCK_XXPH3 and FILTER_POLICY_BINARY_FUSE none at all. Where no filter is stored, do not query.
 * - An ending that no filter of the policy has denies no key. With FILTER_POLICY_BLOOM_FILTER2 and FILTER_POLICY_LEVELDB
 *   that is a last byte of 0 or above 30; with FILTER_POLICY_BLOOM64 a last byte outside 0x81 to 0x9e; with RocksDB's
 *   policies, each of which reads the filters of both, five last bytes that fit no kind of filter; with
 *   FILTER_POLICY_SPLIT_BLOCK_XXPH3 a length that is no multiple of 32; with FILTER_POLICY_BINARY_FUSE 14 last bytes that
 *   do not fit the length.
 * - The filter of another format may deny keys that it contains. LevelDB compares names, and never queries one.
 *
 * A null key or filter with a length above 0, or a null state, gives 1. */
unsigned char filter_policy_key_may_match(void* state, const char* key, size_t length, const char* filter,
                                          size_t filter_length);

/* Returns the policy's NUL-terminated name, which stays valid as long as the library is loaded; that of a policy from
 * filter_policy_parse or filter_policy_reader, as long as the policy. For a null state it returns a name that no stored filter has. */
const char* filter_policy_name(void* state);

/* A policy number in a type of its own, so that a compiler refuses it in the place of bits per key, and a number in
 * its place. The constants are those of filter_policy_number, which documents them. */
typedef struct {
  filter_policy_number number;
} filter_policy_kind;

static const filter_policy_kind filter_policy_bloom_filter2 = {FILTER_POLICY_BLOOM_FILTER2};
static const filter_policy_kind filter_policy_leveldb = {FILTER_POLICY_LEVELDB};
static const filter_policy_kind filter_policy_bloom64 = {FILTER_POLICY_BLOOM64};
static const filter_policy_kind filter_policy_fast_local_bloom = {FILTER_POLICY_FAST_LOCAL_BLOOM};
static const filter_policy_kind filter_policy_ribbon = {FILTER_POLICY_RIBBON};
static const filter_policy_kind filter_policy_bloom_filter2_coprime = {FILTER_POLICY_BLOOM_FILTER2_COPRIME};
static const filter_policy_kind filter_policy_leveldb_coprime = {FILTER_POLICY_LEVELDB_COPRIME};
static const filter_policy_kind filter_policy_split_block_xxph3 = {FILTER_POLICY_SPLIT_BLOCK_XXPH3};
static const filter_policy_kind filter_policy_binary_fuse = {FILTER_POLICY_BINARY_FUSE};

/* Creates a policy: filter_policy_create(10, filter_policy_leveldb), or 9.6 in place of 10. For the rest see
 * filter_policy_new. */
static inline filter_policy_state* filter_policy_create(double bits_per_key, filter_policy_kind kind) {
  return filter_policy_new_fractional(bits_per_key, kind.number);
}

#ifdef __cplusplus
}
#endif

#endif /* FILTER_POLICY_LEVELDB_H_ */
