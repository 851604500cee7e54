/* Lets one allocation after the other fail, alone and with all that follow. Linked with --wrap for every function
   of C that allocates, so that the library's calls come here. */
#define _POSIX_C_SOURCE 200809L
#include "filter_policy_leveldb.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEYS 100
#define RESERVED 8

void* __real_malloc(size_t size);
void* __real_calloc(size_t count, size_t size);
void* __real_realloc(void* place, size_t size);
int __real_posix_memalign(void** place, size_t alignment, size_t size);
void* __real_aligned_alloc(size_t alignment, size_t size);

static int allocations;           /* since the last reset */
static int first_failure = -1;    /* number of the first one that fails; none if negative */
static int last_failure;          /* number of the last one that fails */

static int refused(void) {
  int number = allocations++;
  return first_failure >= 0 && number >= first_failure && number <= last_failure;
}

void* __wrap_malloc(size_t size) { return refused() ? NULL : __real_malloc(size); }
void* __wrap_calloc(size_t count, size_t size) { return refused() ? NULL : __real_calloc(count, size); }
void* __wrap_realloc(void* place, size_t size) { return refused() ? NULL : __real_realloc(place, size); }
int __wrap_posix_memalign(void** place, size_t alignment, size_t size) {
  return refused() ? 12 : __real_posix_memalign(place, alignment, size);
}
void* __wrap_aligned_alloc(size_t alignment, size_t size) {
  return refused() ? NULL : __real_aligned_alloc(alignment, size);
}

static void fail(int first, int last) {
  allocations = 0;
  first_failure = first;
  last_failure = last;
}

static void check(int condition, const char* what) {
  if (!condition) {
    fail(-1, 0);
    fprintf(stderr, "%s\n", what);
    exit(1);
  }
}

static char keys_text[KEYS][8];
static const char* keys[KEYS];
static size_t lengths[KEYS];

/* Whether the bytes are the two that every key may match. */
static int is_open(const char* filter, size_t length) {
  return length == 2 && filter[0] == 0 && (unsigned char)filter[1] == 0xff;
}

/* A filter under the failures that are set; returns whether it is a whole one. */
static int build(void* state) {
  size_t length = 99;
  char* filter = filter_policy_create_filter(state, keys, lengths, KEYS, &length);
  int whole, i;
  first_failure = -1;
  check(filter != NULL, "a filter is null");
  whole = length == (KEYS * 10 + 7) / 8 + 1;
  check(whole || is_open(filter, length), "a filter is neither whole nor open");
  for (i = 0; i < KEYS; i++)
    check(filter_policy_key_may_match(state, keys[i], lengths[i], filter, length) == 1, "a key is lost");
  free(filter);
  return whole;
}

/* Takes the reserve with all allocations failing; then the program must end. */
static void exhaust(void* state) {
  int i;
  fail(0, INT32_MAX);
  for (i = 0; i <= RESERVED; i++) {
    size_t length = 99;
    char* filter = filter_policy_create_filter(state, keys, lengths, KEYS, &length);
    if (filter == NULL || !is_open(filter, length)) _exit(2);
    if (i == RESERVED) _exit(3);
  }
}

int main(void) {
  int number, i, status, whole, in_new = 0, in_create = 0;
  void* state;
  pid_t child;
  for (i = 0; i < KEYS; i++) {
    sprintf(keys_text[i], "key%03d", i);
    keys[i] = keys_text[i];
    lengths[i] = strlen(keys_text[i]);
  }

  /* A policy that cannot be made is null, and null is a policy that loses nothing. */
  for (number = 0; in_new == 0; number++) {
    int only_one;
    for (only_one = 0; only_one <= 1; only_one++) {
      fail(number, only_one ? number : INT32_MAX);
      state = filter_policy_new(10, FILTER_POLICY_HASH_MURMUR2);
      if (allocations <= number) in_new = number;
      first_failure = -1;
      check((state == NULL) == (number == 0), "only the first allocation decides whether there is a policy");
      check(build(state) == (state != NULL), "a filter of a policy made without memory");
      filter_policy_destroy(state);
    }
  }

  /* Each allocation of a creation fails alone, then with all that follow. */
  state = filter_policy_new(10, FILTER_POLICY_HASH_LEVELDB);
  check(state != NULL, "no policy");
  check(build(state), "no whole filter with all the memory there is");
  for (number = 0;; number++) {
    fail(number, number);
    whole = build(state);
    if (allocations <= number) break;
    check(!whole, "a filter without its memory");
    fail(number, INT32_MAX);
    check(!build(state), "a filter without its memory");
    check(build(state), "no whole filter after the memory came back");
  }
  in_create = number;

  /* The reserve is filled again by every creation that finds memory. */
  for (i = 0; i < 10 * RESERVED; i++) {
    fail(0, INT32_MAX);
    check(!build(state), "a filter without memory");
    check(build(state), "no whole filter after the memory came back");
  }

  fflush(NULL);
  child = fork();
  check(child >= 0, "no child process");
  if (child == 0) exhaust(state);
  check(waitpid(child, &status, 0) == child, "the child process is lost");
  check(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, "keys would have been lost");

  filter_policy_destroy(state);
  printf("%d allocations in filter_policy_new, %d in filter_policy_create_filter\n", in_new, in_create);
  return 0;
}
