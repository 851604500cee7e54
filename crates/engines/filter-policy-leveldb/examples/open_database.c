/* Opens a LevelDB database with a policy of this library, writes, compacts, and reads.
 *
 *   cc open_database.c -o open_database -lfilter_policy_leveldb -lleveldb
 *   ./open_database FOLDER
 */
#include <filter_policy_for_leveldb.h>
#include <leveldb/c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS = 10000 };

/* LevelDB reports errors as malloc'ed text. */
static void check(char* error, const char* action) {
  if (error != NULL) {
    fprintf(stderr, "%s: %s\n", action, error);
    leveldb_free(error);
    exit(1);
  }
}

static int count_present(leveldb_t* db, const leveldb_readoptions_t* options, const char* form) {
  int present = 0;
  int i;
  for (i = 0; i < KEYS; i++) {
    char key[32];
    char* error = NULL;
    size_t length;
    char* value;
    snprintf(key, sizeof key, form, i);
    value = leveldb_get(db, options, key, strlen(key), &length, &error);
    check(error, "get");
    present += value != NULL;
    leveldb_free(value);
  }
  return present;
}

int main(int argc, char** argv) {
  leveldb_options_t* options = leveldb_options_create();
  leveldb_readoptions_t* read = leveldb_readoptions_create();
  leveldb_writeoptions_t* write = leveldb_writeoptions_create();
  leveldb_filterpolicy_t* policy;
  leveldb_t* db;
  char* error = NULL;
  int i;
  if (argc != 2) {
    fprintf(stderr, "usage: open_database FOLDER\n");
    return 2;
  }

  /* The policy: 10 bits per key. A policy that could not be made is null, which costs speed and no keys. */
  policy = filter_policy_for_leveldb(10, filter_policy_leveldb);
  leveldb_options_set_filter_policy(options, policy);
  leveldb_options_set_create_if_missing(options, 1);

  db = leveldb_open(options, argv[1], &error);
  check(error, "open");
  for (i = 0; i < KEYS; i++) {
    char key[32];
    snprintf(key, sizeof key, "key%06d", i);
    leveldb_put(db, write, key, strlen(key), "value", 5, &error);
    check(error, "put");
  }
  /* Filters are built when tables are. */
  leveldb_compact_range(db, NULL, 0, NULL, 0);
  printf("%d of %d stored keys found\n", count_present(db, read, "key%06d"), KEYS);
  printf("%d of %d absent keys found\n", count_present(db, read, "key%06d-absent"), KEYS);
  leveldb_close(db);

  /* The policy after the database; it frees the state. */
  leveldb_filterpolicy_destroy(policy);
  leveldb_options_destroy(options);
  leveldb_readoptions_destroy(read);
  leveldb_writeoptions_destroy(write);
  return 0;
}
