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

/* A policy: its hash function and its format, and with them the name under which LevelDB stores the filters. LevelDB
 * ignores filters of another name: a database whose policy has changed loses speed, never keys. Numbers are added at
 * the end and never used again for something else. */
typedef enum {
  /* MurmurHash2, seed 5381, trailing bytes unsigned. Name: "BloomFilter2". Programs that hash plain char where
   * it is signed write other bits under this name; do not read their databases with this policy. */
  FILTER_POLICY_HASH_MURMUR2 = 0,
  /* LevelDB's own. Name: "leveldb.BuiltinBloomFilter2". Filters are those of leveldb_filterpolicy_create_bloom,
   * byte for byte, so that either reads what the other wrote. */
  FILTER_POLICY_HASH_LEVELDB = 1,
  /* The same layout with 64 bits of hash, and the lowest rate of the Bloom filters here, of small filters above all.
   * Name: "BloomFilter64.Xxph3". */
  FILTER_POLICY_BLOOM64 = 2,
  /* RocksDB's Bloom filter since its format version 5, byte for byte: large filters of which a question reads 64
   * bytes. No filter takes less than 69 bytes, which is more than others where blocks have few keys. Name:
   * "rocksdb.internal.FastLocalBloomFilter". */
  FILTER_POLICY_FAST_LOCAL_BLOOM = 3,
  /* RocksDB's Ribbon filter, byte for byte: in about 30 % less memory than the one before, at its rate, for slower
   * building, which takes some 40 bytes a key besides. For few keys it writes the one before where that is smaller.
   * Name: "rocksdb.internal.Standard128RibbonFilter", which alone tells LevelDB's own policy not to read filters of
   * more than 7.9 million keys; smaller ones, and all others here, it would answer "may match". */
  FILTER_POLICY_RIBBON = 4
} filter_policy_hash;

/* A policy that gives each key this many bits: 10 let about 1 absent key in 100 pass, 15 about 1 in 1000. RocksDB's
 * take at most 100, and more as 100; to FILTER_POLICY_RIBBON they are the bits of a Bloom filter of the same rate.
 * NULL if bits_per_key is below 1, if there is no such policy, or if there is no memory. */
void* filter_policy_new(int bits_per_key, filter_policy_hash policy);

/* Frees a policy. LevelDB calls it from leveldb_filterpolicy_destroy, which must come after leveldb_close. */
void filter_policy_destroy(void* state);

/* The filter of these keys, in memory from malloc that the caller frees; *filter_length receives its length.
 * Keys are bytes, and may be empty (whatever the pointer), equal, and hold NUL. No keys make a filter that
 * denies every key; with FILTER_POLICY_RIBBON, whose filter of no keys has no bytes, 00 ff.
 *
 * The result is never null and never empty. Where the filter cannot be made, it is the two bytes 00 ff, to which
 * every policy here and LevelDB's own say "may match": no memory, a negative count, one above 2^30 (more keys than a
 * table of LevelDB's can hold), a filter above 2^32 - 1 bytes (LevelDB addresses filters with 32 bits), a null
 * array or a null key of a length above 0, a null state, a null filter_length. A policy keeps eight such answers
 * in reserve for when malloc refuses even two bytes; when they too are used up, or the state is null and has
 * none, the program is aborted, since the keys of this filter would be lost. */
char* filter_policy_create_filter(void* state, const char* const* keys, const size_t* key_lengths, int num_keys,
                                  size_t* filter_length);

/* 0 if the filter surely does not hold the key, else 1. Any bytes may be asked. Too few deny every key: fewer than two,
 * with RocksDB's policies fewer than six. 00 ff denies none, nor does an ending that no filter of the policy has: with
 * the hashes a last byte of 0 or above 30, with FILTER_POLICY_BLOOM64 one outside 0x81 to 0x9e, with RocksDB's
 * policies, each of which reads the filters of both, five last bytes of no kind of filter. A null key or filter of a
 * length above 0, and a null state, give 1. */
unsigned char filter_policy_key_may_match(void* state, const char* key, size_t length, const char* filter,
                                          size_t filter_length);

/* The name of the policy, with a NUL at its end; it stays valid for as long as the library is loaded. For a null
 * state a name that no stored filter has. */
const char* filter_policy_name(void* state);

#ifdef __cplusplus
}
#endif

#endif /* FILTER_POLICY_LEVELDB_H_ */
