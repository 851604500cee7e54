/* A policy for LevelDB's C interface in one call:
 *
 *   leveldb_filterpolicy_t* policy = filter_policy_for_leveldb(10, filter_policy_leveldb);
 *   leveldb_options_set_filter_policy(options, policy);
 *
 * Licensed under MIT or Apache-2.0, at your choice.
 */
#ifndef FILTER_POLICY_FOR_LEVELDB_H_
#define FILTER_POLICY_FOR_LEVELDB_H_

#include <filter_policy_leveldb.h>
#include <leveldb/c.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Gives a policy to LevelDB's object; NULL for NULL. */
static inline leveldb_filterpolicy_t* filter_policy_state_for_leveldb(filter_policy_state* state) {
  if (state == NULL) return NULL;
  return leveldb_filterpolicy_create(state, filter_policy_destroy, filter_policy_create_filter,
                                     filter_policy_key_may_match, filter_policy_name);
}

/* Creates a policy with this many bits per key, which need not be whole: 1 to FILTER_POLICY_MAX_BITS_PER_KEY. Returns
 * NULL if they are out of range or there is no memory. LevelDB takes NULL for "no policy": it writes no filters, and no
 * key is lost.
 *
 * Free it with leveldb_filterpolicy_destroy after leveldb_close. The function is inline, because the library itself is
 * not linked to LevelDB. */
static inline leveldb_filterpolicy_t* filter_policy_for_leveldb(double bits_per_key, filter_policy_kind kind) {
  return filter_policy_state_for_leveldb(filter_policy_create(bits_per_key, kind));
}

/* The same for the text of a configuration file, such as "leveldb:10": see filter_policy_parse. */
static inline leveldb_filterpolicy_t* filter_policy_parse_for_leveldb(const char* text, char* message,
                                                                      size_t message_size) {
  return filter_policy_state_for_leveldb(filter_policy_parse(text, message, message_size));
}

#ifdef __cplusplus
}
#endif

#endif /* FILTER_POLICY_FOR_LEVELDB_H_ */
