// What the tests and the benchmark need of LevelDB and its C interface does not have: filter policies called
// directly, and an environment that counts what is read from tables.
//
// Errors are malloc'ed text, as in leveldb/c.h.

#include <filter_policy_leveldb.h>
#include <leveldb/c.h>
#include <leveldb/cache.h>
#include <leveldb/db.h>
#include <leveldb/env.h>
#include <leveldb/filter_policy.h>
#include <leveldb/options.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>

// Rust passes keys as structs of a pointer and a length.
static_assert(std::is_standard_layout<leveldb::Slice>::value && sizeof(leveldb::Slice) == 2 * sizeof(size_t),
              "slices have another layout");

namespace {

char* Copy(const std::string& bytes) {
  char* copy = static_cast<char*>(std::malloc(bytes.size() + 1));
  if (copy == nullptr) std::abort();
  std::memcpy(copy, bytes.data(), bytes.size());
  copy[bytes.size()] = '\0';
  return copy;
}

char* Error(const leveldb::Status& status) { return status.ok() ? nullptr : Copy(status.ToString()); }

// Counts the reads of files that are read at random: tables, and nothing else in LevelDB.
class CountingFile : public leveldb::RandomAccessFile {
 public:
  CountingFile(leveldb::RandomAccessFile* file, std::atomic<uint64_t>* reads) : file_(file), reads_(reads) {}

  leveldb::Status Read(uint64_t offset, size_t n, leveldb::Slice* result, char* scratch) const override {
    reads_->fetch_add(1, std::memory_order_relaxed);
    return file_->Read(offset, n, result, scratch);
  }

 private:
  const std::unique_ptr<leveldb::RandomAccessFile> file_;
  std::atomic<uint64_t>* const reads_;
};

class CountingEnv : public leveldb::EnvWrapper {
 public:
  CountingEnv() : EnvWrapper(leveldb::Env::Default()) {}

  leveldb::Status NewRandomAccessFile(const std::string& name, leveldb::RandomAccessFile** file) override {
    leveldb::RandomAccessFile* opened = nullptr;
    const leveldb::Status status = target()->NewRandomAccessFile(name, &opened);
    *file = status.ok() ? new CountingFile(opened, &reads_) : nullptr;
    return status;
  }

  uint64_t reads() const { return reads_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> reads_{0};
};

// The database is declared last, so that it is closed first.
struct Engine {
  CountingEnv env;
  std::unique_ptr<leveldb::Cache> cache;
  std::unique_ptr<leveldb::DB> db;
};

}  // namespace

extern "C" {

// A policy of LevelDB's own. Freed by shim_policy_destroy.
const leveldb::FilterPolicy* shim_policy_builtin(int bits_per_key) { return leveldb::NewBloomFilterPolicy(bits_per_key); }

// A policy of the C library, with the arguments of filter_policy_new.
leveldb_filterpolicy_t* shim_policy_c_library(int bits_per_key, int hash) {
  return leveldb_filterpolicy_create(filter_policy_new(bits_per_key, static_cast<filter_policy_hash>(hash)),
                                     filter_policy_destroy, filter_policy_create_filter, filter_policy_key_may_match,
                                     filter_policy_name);
}

// The policy in an object of the C interface, which keeps it. In LevelDB's db/c.cc the type is a class with
// leveldb::FilterPolicy as its only base, so that the address is the same.
const leveldb::FilterPolicy* shim_policy_of(leveldb_filterpolicy_t* policy) {
  return reinterpret_cast<const leveldb::FilterPolicy*>(policy);
}

void shim_policy_destroy(const leveldb::FilterPolicy* policy) { delete policy; }

const char* shim_policy_name(const leveldb::FilterPolicy* policy) { return policy->Name(); }

// The filter of all keys, malloc'ed.
char* shim_policy_create_filter(const leveldb::FilterPolicy* policy, const leveldb::Slice* keys, size_t n,
                                size_t* filter_length) {
  std::string filter;
  policy->CreateFilter(keys, static_cast<int>(n), &filter);
  *filter_length = filter.size();
  return Copy(filter);
}

// Builds a filter of every `size` keys, one after the other in the same memory, and gives the sum of their first bytes.
uint64_t shim_policy_create_filters(const leveldb::FilterPolicy* policy, const leveldb::Slice* keys, size_t n,
                                    size_t size) {
  uint64_t sum = 0;
  std::string filter;
  for (size_t start = 0; start + size <= n; start += size) {
    filter.clear();
    policy->CreateFilter(keys + start, static_cast<int>(size), &filter);
    sum += static_cast<unsigned char>(filter[0]);
  }
  return sum;
}

// How many of the keys may match.
uint64_t shim_policy_count_matches(const leveldb::FilterPolicy* policy, const leveldb::Slice* keys, size_t n,
                                   const leveldb::Slice* filter) {
  const leveldb::Slice bytes = *filter;
  uint64_t matches = 0;
  for (size_t i = 0; i < n; i++) matches += policy->KeyMayMatch(keys[i], bytes) ? 1 : 0;
  return matches;
}

// A database; the policy may be null, and outlives the engine. Null where there is an error.
Engine* shim_engine_open(const char* folder, const leveldb::FilterPolicy* policy, size_t cache_bytes, char** error) {
  auto engine = std::make_unique<Engine>();
  engine->cache.reset(leveldb::NewLRUCache(cache_bytes));
  leveldb::Options options;
  options.create_if_missing = true;
  options.env = &engine->env;
  options.filter_policy = policy;
  options.block_cache = engine->cache.get();
  leveldb::DB* db = nullptr;
  *error = Error(leveldb::DB::Open(options, folder, &db));
  if (*error != nullptr) return nullptr;
  engine->db.reset(db);
  return engine.release();
}

void shim_engine_close(Engine* engine) { delete engine; }

char* shim_engine_put(Engine* engine, const leveldb::Slice* key, const leveldb::Slice* value) {
  return Error(engine->db->Put(leveldb::WriteOptions(), *key, *value));
}

char* shim_engine_delete(Engine* engine, const leveldb::Slice* key) {
  return Error(engine->db->Delete(leveldb::WriteOptions(), *key));
}

void shim_engine_compact(Engine* engine) { engine->db->CompactRange(nullptr, nullptr); }

// 1 if the key is there, 0 if not. The value is left in memory that LevelDB's C++ users would have.
int shim_engine_get(Engine* engine, const leveldb::Slice* key, char** error) {
  std::string value;
  const leveldb::Status status = engine->db->Get(leveldb::ReadOptions(), *key, &value);
  *error = status.IsNotFound() ? nullptr : Error(status);
  return status.ok() ? 1 : 0;
}

// Walks over all entries and gives their number.
uint64_t shim_engine_count(Engine* engine, char** error) {
  const std::unique_ptr<leveldb::Iterator> iterator(engine->db->NewIterator(leveldb::ReadOptions()));
  uint64_t entries = 0;
  for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next()) entries++;
  *error = Error(iterator->status());
  return entries;
}

uint64_t shim_engine_reads(const Engine* engine) { return engine->env.reads(); }

}  // extern "C"
