/* Uses every function through the types that leveldb_filterpolicy_create has, and prints what comes out.
   Compiles as C and as C++. */
#include "filter_policy_leveldb.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
#define CHECK_NUMBER(name, number) static_assert(name == number, #name)
#else
#define CHECK_NUMBER(name, number) _Static_assert(name == number, #name)
#endif
CHECK_NUMBER(FILTER_POLICY_BLOOM_FILTER2, 0);
CHECK_NUMBER(FILTER_POLICY_LEVELDB, 1);
CHECK_NUMBER(FILTER_POLICY_HASH_MURMUR2, FILTER_POLICY_BLOOM_FILTER2);
CHECK_NUMBER(FILTER_POLICY_HASH_LEVELDB, FILTER_POLICY_LEVELDB);
CHECK_NUMBER(FILTER_POLICY_BLOOM64, 2);
CHECK_NUMBER(FILTER_POLICY_FAST_LOCAL_BLOOM, 3);
CHECK_NUMBER(FILTER_POLICY_RIBBON, 4);
CHECK_NUMBER(FILTER_POLICY_BLOOM_FILTER2_COPRIME, 5);
CHECK_NUMBER(FILTER_POLICY_LEVELDB_COPRIME, 6);
CHECK_NUMBER(FILTER_POLICY_SPLIT_BLOCK_XXPH3, 7);
CHECK_NUMBER(FILTER_POLICY_BINARY_FUSE, 8);
CHECK_NUMBER(sizeof(filter_policy_number), sizeof(int));

/* The parameters of leveldb_filterpolicy_create, from leveldb/c.h. */
typedef void (*destructor)(void*);
typedef char* (*create_filter)(void*, const char* const* key_array, const size_t* key_length_array, int num_keys,
                               size_t* filter_length);
typedef unsigned char (*key_may_match)(void*, const char* key, size_t length, const char* filter,
                                       size_t filter_length);
typedef const char* (*policy_name)(void*);

static void use(void* state) {
  destructor destroy = filter_policy_destroy;
  create_filter build = filter_policy_create_filter;
  key_may_match ask = filter_policy_key_may_match;
  policy_name name = filter_policy_name;

  const char* keys[4] = {"apple", "a\0b", NULL, "\xff\xfe\xfd"};
  const size_t lengths[4] = {5, 3, 0, 3};
  size_t length = 0, i;
  char* filter = build(state, keys, lengths, 4, &length);
  printf("%s %s ", state == NULL ? "null" : "policy", name(state));
  for (i = 0; i < length; i++) printf("%02x", (unsigned char)filter[i]);
  printf(" ");
  for (i = 0; i < 4; i++) printf("%d", ask(state, keys[i], lengths[i], filter, length));
  printf("%d\n", ask(state, "absent", strlen("absent"), filter, length));
  free(filter);
  destroy(state);
}

int main(void) {
  filter_policy_state* (*create)(int, filter_policy_number) = filter_policy_new;
  /* The earlier names stay, in type and number. */
  filter_policy_state* (*earlier)(int, filter_policy_hash) = filter_policy_new;
  filter_policy_state* (*fractional)(double, filter_policy_number) = filter_policy_new_fractional;
  /* Every kind has the number of its name. */
  const filter_policy_kind kinds[] = {filter_policy_bloom_filter2,        filter_policy_leveldb,
                                      filter_policy_bloom64,              filter_policy_fast_local_bloom,
                                      filter_policy_ribbon,               filter_policy_bloom_filter2_coprime,
                                      filter_policy_leveldb_coprime,      filter_policy_split_block_xxph3,
                                      filter_policy_binary_fuse};
  int i;
  for (i = 0; i < 9; i++) printf("%d", (int)kinds[i].number);
  printf("\n");
  printf("%d.%d.%d %s\n", FILTER_POLICY_LEVELDB_VERSION_MAJOR, FILTER_POLICY_LEVELDB_VERSION_MINOR,
         FILTER_POLICY_LEVELDB_VERSION_PATCH, FILTER_POLICY_LEVELDB_VERSION);
  use(create(10, FILTER_POLICY_BLOOM_FILTER2));
  use(earlier(10, FILTER_POLICY_HASH_LEVELDB));
  use(create(10, FILTER_POLICY_BLOOM64));
  use(create(10, FILTER_POLICY_FAST_LOCAL_BLOOM));
  use(create(10, FILTER_POLICY_RIBBON));
  use(fractional(17.5, FILTER_POLICY_LEVELDB));
  use(filter_policy_create(17.5, filter_policy_leveldb));
  use(create(10, FILTER_POLICY_BLOOM_FILTER2_COPRIME));
  use(create(10, FILTER_POLICY_LEVELDB_COPRIME));
  use(create(10, FILTER_POLICY_SPLIT_BLOCK_XXPH3));
  use(create(10, FILTER_POLICY_BINARY_FUSE));
  use(create(FILTER_POLICY_MAX_BITS_PER_KEY, FILTER_POLICY_BLOOM64));
  use(fractional(0.5, FILTER_POLICY_LEVELDB));
  use(create(0, FILTER_POLICY_LEVELDB));
  use(create(FILTER_POLICY_MAX_BITS_PER_KEY + 1, FILTER_POLICY_BLOOM64));
  use(create(10, (filter_policy_number)9));
  char message[12];
  use(filter_policy_parse("bloom64:10", message, sizeof message));
  printf("%s.\n", message);
  use(filter_policy_parse("bloom64:0.5", message, sizeof message));
  printf("%s.\n", message);
  use(filter_policy_parse(NULL, NULL, 12));
  use(filter_policy_reader("BloomFilter64.Xxph3", NULL, 0));
  use(filter_policy_reader("bloom64", message, sizeof message));
  printf("%s.\n", message);
  return 0;
}
