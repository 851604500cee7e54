// What the tests and the benchmark need of LevelDB and its C interface does not have: filter policies called
// directly, and an environment that counts what is read from tables. Errors are exceptions. Where the bridge declares
// no error, an exception ends the program with its text.

#pragma once

#include <filter_policy_leveldb.h>
#include <leveldb/c.h>
#include <leveldb/cache.h>
#include <leveldb/db.h>
#include <leveldb/env.h>
#include <leveldb/filter_policy.h>
#include <leveldb/options.h>

#include <atomic>
#include <climits>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "rust/cxx.h"

namespace leveldb_shim {

using Bytes = rust::Slice<const uint8_t>;

inline leveldb::Slice SliceOf(Bytes bytes) {
  return leveldb::Slice(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

inline void Check(const leveldb::Status& status) {
  if (!status.ok()) throw std::runtime_error(status.ToString());
}

// LevelDB counts keys with an int.
inline int CountOf(size_t keys) {
  if (keys > INT_MAX) throw std::length_error("LevelDB takes no filter of so many keys");
  return static_cast<int>(keys);
}

inline rust::String version() {
  return std::to_string(leveldb_major_version()) + "." + std::to_string(leveldb_minor_version());
}

using Slices = std::vector<leveldb::Slice>;

inline std::unique_ptr<Slices> empty() { return std::make_unique<Slices>(); }

inline void push(Slices& slices, Bytes key) { slices.push_back(SliceOf(key)); }

class Policy {
 public:
  explicit Policy(const leveldb::FilterPolicy* policy) : policy_(policy) {}

  static std::unique_ptr<Policy> builtin(uint16_t bits_per_key) {
    return std::make_unique<Policy>(leveldb::NewBloomFilterPolicy(bits_per_key));
  }

  // The policy in an object of the C interface, which is destroyed with it. In LevelDB's db/c.cc the type is a class
  // with leveldb::FilterPolicy as its only base, so that the address is the same.
  static std::unique_ptr<Policy> taken(char* object) {
    return std::make_unique<Policy>(reinterpret_cast<const leveldb::FilterPolicy*>(object));
  }

  static std::unique_ptr<Policy> c_library(int32_t bits_per_key, int32_t hash) {
    leveldb_filterpolicy_t* object = leveldb_filterpolicy_create(
        filter_policy_new(bits_per_key, static_cast<filter_policy_hash>(hash)), filter_policy_destroy,
        filter_policy_create_filter, filter_policy_key_may_match, filter_policy_name);
    return taken(reinterpret_cast<char*>(object));
  }

  const leveldb::FilterPolicy* get() const { return policy_.get(); }

  rust::String name() const { return policy_->Name(); }

  rust::Vec<uint8_t> create_filter(const Slices& keys) const {
    std::string filter;
    policy_->CreateFilter(keys.data(), CountOf(keys.size()), &filter);
    rust::Vec<uint8_t> copy;
    copy.reserve(filter.size());
    for (const char byte : filter) copy.push_back(static_cast<uint8_t>(byte));
    return copy;
  }

  // The filters are built one after the other in the same memory.
  uint64_t create_filters(const Slices& keys, size_t size) const {
    if (size == 0) throw std::invalid_argument("filters of no keys");
    uint64_t bytes = 0;
    std::string filter;
    for (size_t start = 0; start + size <= keys.size(); start += size) {
      filter.clear();
      policy_->CreateFilter(keys.data() + start, CountOf(size), &filter);
      bytes += filter.size();
    }
    return bytes;
  }

  uint64_t count_matches(const Slices& keys, Bytes filter) const {
    const leveldb::Slice bytes = SliceOf(filter);
    uint64_t matches = 0;
    for (const leveldb::Slice& key : keys) matches += policy_->KeyMayMatch(key, bytes) ? 1 : 0;
    return matches;
  }

 private:
  const std::unique_ptr<const leveldb::FilterPolicy> policy_;
};

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

class Database {
 public:
  static std::unique_ptr<Database> open(rust::Str folder, std::unique_ptr<Policy> policy, size_t cache_bytes) {
    return std::make_unique<Database>(std::string(folder), std::move(policy), cache_bytes);
  }

  Database(const std::string& folder, std::unique_ptr<Policy> policy, size_t cache_bytes)
      : policy_(std::move(policy)), cache_(leveldb::NewLRUCache(cache_bytes)) {
    leveldb::Options options;
    options.create_if_missing = true;
    options.env = &env_;
    options.filter_policy = policy_ ? policy_->get() : nullptr;
    options.block_cache = cache_.get();
    leveldb::DB* db = nullptr;
    Check(leveldb::DB::Open(options, folder, &db));
    db_.reset(db);
  }

  void put(Bytes key, Bytes value) const { Check(db_->Put(leveldb::WriteOptions(), SliceOf(key), SliceOf(value))); }

  void remove(Bytes key) const { Check(db_->Delete(leveldb::WriteOptions(), SliceOf(key))); }

  void compact() const { db_->CompactRange(nullptr, nullptr); }

  // The value is left in memory that LevelDB's C++ users would have.
  bool has(Bytes key) const {
    std::string value;
    const leveldb::Status status = db_->Get(leveldb::ReadOptions(), SliceOf(key), &value);
    if (status.IsNotFound()) return false;
    Check(status);
    return true;
  }

  uint64_t count() const {
    const std::unique_ptr<leveldb::Iterator> iterator(db_->NewIterator(leveldb::ReadOptions()));
    uint64_t entries = 0;
    for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next()) entries++;
    Check(iterator->status());
    return entries;
  }

  uint64_t reads() const { return env_.reads(); }

 private:
  // The database is declared last, so that it is closed first.
  CountingEnv env_;
  const std::unique_ptr<Policy> policy_;
  const std::unique_ptr<leveldb::Cache> cache_;
  std::unique_ptr<leveldb::DB> db_;
};

}  // namespace leveldb_shim
