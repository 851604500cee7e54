/* Lets one allocation after the other fail, and then all of them. Linked with --wrap for every function
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

#define KEYS 2000
#define POLICIES 5

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

static char keys_text[KEYS][16];
static const char* keys[KEYS];
static size_t lengths[KEYS];

/* Whether the bytes are the two that every key may match. */
static int is_open(const char* filter, size_t length) {
  return length == 2 && filter[0] == 0 && (unsigned char)filter[1] == 0xff;
}

/* The length that a filter has with all the memory there is. */
static size_t whole_length;

/* A filter under the failures that are set; returns whether it is a whole one. */
static int build(void* state) {
  size_t length = 99;
  char* filter = filter_policy_create_filter(state, keys, lengths, KEYS, &length);
  int whole, i;
  first_failure = -1;
  check(filter != NULL, "a filter is null");
  whole = length == whole_length;
  check(whole || is_open(filter, length), "a filter is neither whole nor open");
  for (i = 0; i < KEYS; i++)
    check(filter_policy_key_may_match(state, keys[i], lengths[i], filter, length) == 1, "a key is lost");
  free(filter);
  return whole;
}

/* Builds a filter with all allocations failing: the program must end. */
static void exhaust(void* state) {
  size_t length;
  fail(0, INT32_MAX);
  filter_policy_create_filter(state, keys, lengths, KEYS, &length);
  _exit(3);
}

/* What fails while a policy is made; returns how many allocations that takes. */
static int fail_in_new(filter_policy_number policy) {
  int number, only_one, in_new = 0;
  void* state;
  /* A policy that cannot be made is null, and null is a policy that loses nothing. */
  for (number = 0; in_new == 0; number++) {
    for (only_one = 0; only_one <= 1; only_one++) {
      fail(number, only_one ? number : INT32_MAX);
      state = filter_policy_new(10, policy);
      if (allocations <= number) in_new = number;
      first_failure = -1;
      check((state == NULL) == (number < 2), "the first two allocations decide whether there is a policy");
      check(build(state) == (state != NULL), "a filter of a policy made without memory");
      filter_policy_destroy(state);
    }
  }
  return in_new;
}

/* What fails while a filter is made; returns how many allocations that takes. */
static int fail_in_create(void* state) {
  int number, whole;
  /* Each allocation of a creation fails. */
  check(build(state), "no whole filter with all the memory there is");
  for (number = 0;; number++) {
    fail(number, number);
    whole = build(state);
    if (allocations <= number) return number;
    check(!whole, "a filter without its memory");
    check(build(state), "no whole filter after the memory came back");
  }
}

int main(void) {
  int i, policy, status, in_new, in_create;
  void* state;
  pid_t child;
  for (i = 0; i < KEYS; i++) {
    sprintf(keys_text[i], "key%06d", i);
    keys[i] = keys_text[i];
    lengths[i] = strlen(keys_text[i]);
  }

  for (policy = 0; policy < POLICIES; policy++) {
    char* filter;
    state = filter_policy_new(10, (filter_policy_number)policy);
    check(state != NULL, "no policy");
    filter = filter_policy_create_filter(state, keys, lengths, KEYS, &whole_length);
    check(whole_length > KEYS / 2, "no whole filter");
    free(filter);

    in_new = fail_in_new((filter_policy_number)policy);
    in_create = fail_in_create(state);

    fflush(NULL);
    child = fork();
    check(child >= 0, "no child process");
    if (child == 0) exhaust(state);
    check(waitpid(child, &status, 0) == child, "the child process is lost");
    check(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, "keys would have been lost");

    printf("%s: %d allocations in filter_policy_new, %d in filter_policy_create_filter\n", filter_policy_name(state),
           in_new, in_create);
    filter_policy_destroy(state);
  }
  return 0;
}
