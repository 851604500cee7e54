// RocksDB's filters, called directly, and tables that it writes.
//
// A FilterPolicy gives a FilterBitsBuilder and a FilterBitsReader through public virtual functions; these two classes
// themselves are internal. They are declared here with their virtual functions in the order of RocksDB 7.8
// (table/block_based/filter_policy_internal.h), as the tables of virtual functions in its library have them. No other
// release is taken. Errors are exceptions. Where the bridge declares no error, an exception ends the program with its text.

#pragma once

#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/slice.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/status.h>
#include <rocksdb/table.h>
#include <rocksdb/version.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "rust/cxx.h"

#if ROCKSDB_MAJOR != 7 || ROCKSDB_MINOR != 8
#error "the order of RocksDB's internal virtual functions is known of 7.8 only"
#endif

namespace ROCKSDB_NAMESPACE {

class FilterBitsBuilder {
 public:
  virtual ~FilterBitsBuilder() {}
  virtual void AddKey(const Slice& key) = 0;
  virtual size_t EstimateEntriesAdded() = 0;
  virtual Slice Finish(std::unique_ptr<const char[]>* memory) = 0;
  virtual Slice Finish(std::unique_ptr<const char[]>* memory, Status* status) = 0;
  virtual Status MaybePostVerify(const Slice& filter) = 0;
  virtual size_t ApproximateNumEntries(size_t bytes) = 0;
};

class FilterBitsReader {
 public:
  virtual ~FilterBitsReader() {}
  virtual bool MayMatch(const Slice& key) = 0;
  virtual void MayMatch(int count, Slice** keys, bool* answers) = 0;
  virtual bool HashMayMatch(uint64_t hash) = 0;
};

}  // namespace ROCKSDB_NAMESPACE

namespace rocksdb_shim {

using rocksdb::Slice;

// Keys that RocksDB looks up in a filter in one call (MultiGetContext::MAX_BATCH_SIZE).
constexpr size_t kMostInCall = 32;

// The bytes of a line, and of the metadata behind the lines.
constexpr uint64_t kLine = 64;
constexpr size_t kMetadata = 5;

inline void Check(const rocksdb::Status& status) {
  if (!status.ok()) throw std::runtime_error(status.ToString());
}

// The library's own version, which is not always that of the headers.
inline rust::String version() { return rocksdb::GetRocksVersionAsString(true); }

using Slices = std::vector<Slice>;

inline std::unique_ptr<Slices> empty() { return std::make_unique<Slices>(); }

inline void push(Slices& slices, rust::Slice<const uint8_t> key) {
  slices.emplace_back(reinterpret_cast<const char*>(key.data()), key.size());
}

// Returns true for bytes that RocksDB takes for a filter and beyond which it reads: it does not check that a
// FastLocalBloom filter has a line, and multiplies the number of a legacy filter's lines in 32 bits.
inline bool IsReadBeyond(rust::Slice<const uint8_t> filter) {
  if (filter.size() <= kMetadata) return false;
  const uint64_t bytes = filter.size() - kMetadata;
  const uint8_t* metadata = filter.data() + bytes;
  const uint8_t probes = metadata[0];
  if (probes == 0xff) return bytes < kLine;
  uint64_t lines = 0;
  for (size_t i = kMetadata; --i > 0;) lines = lines << 8 | metadata[i];
  const bool is_legacy = probes >= 1 && probes < 0x80;
  return is_legacy && lines * kLine != bytes && static_cast<uint32_t>(lines * kLine) == bytes;
}

class Reader {
 public:
  Reader(const rocksdb::FilterPolicy& policy, rust::Slice<const uint8_t> filter)
      : bytes_(reinterpret_cast<const char*>(filter.data()), filter.size()) {
    if (IsReadBeyond(filter)) throw std::invalid_argument("RocksDB reads beyond this filter");
    reader_.reset(policy.GetFilterBitsReader(bytes_));
  }

  uint64_t count_matches(const Slices& keys) const {
    uint64_t matches = 0;
    for (const Slice& key : keys) matches += reader_->MayMatch(key) ? 1 : 0;
    return matches;
  }

  uint64_t count_matches_in_batches(const Slices& keys) const {
    uint64_t matches = 0;
    Slice* pointers[kMostInCall];
    bool answers[kMostInCall];
    for (size_t start = 0; start < keys.size(); start += kMostInCall) {
      const size_t count = std::min(kMostInCall, keys.size() - start);
      // The reader takes pointers to slices that are not const, and only reads them.
      for (size_t i = 0; i < count; i++) pointers[i] = const_cast<Slice*>(&keys[start + i]);
      reader_->MayMatch(static_cast<int>(count), pointers, answers);
      for (size_t i = 0; i < count; i++) matches += answers[i] ? 1 : 0;
    }
    return matches;
  }

 private:
  std::string bytes_;
  std::unique_ptr<rocksdb::FilterBitsReader> reader_;
};

class Policy {
 public:
  Policy(const rocksdb::FilterPolicy* policy, uint32_t format_version) : policy_(policy) {
    const std::string version = rocksdb::GetRocksVersionAsString(true);
    if (version.rfind("7.8.", 0) != 0) {
      std::fprintf(stderr, "RocksDB is %s, the order of virtual functions is known of 7.8\n", version.c_str());
      std::abort();
    }
    options_.filter_policy = policy_;
    options_.format_version = format_version;
  }

  static std::unique_ptr<Policy> bloom(double bits_per_key, uint32_t format_version) {
    return std::make_unique<Policy>(rocksdb::NewBloomFilterPolicy(bits_per_key), format_version);
  }

  static std::unique_ptr<Policy> ribbon(double bits_per_key) {
    return std::make_unique<Policy>(rocksdb::NewRibbonFilterPolicy(bits_per_key), 5);
  }

  rust::Vec<uint8_t> create_filter(const Slices& keys) const {
    const Filter filter = Build(keys.data(), keys.size());
    rust::Vec<uint8_t> copy;
    copy.reserve(filter.contents.size());
    for (size_t i = 0; i < filter.contents.size(); i++) copy.push_back(static_cast<uint8_t>(filter.contents[i]));
    return copy;
  }

  uint64_t create_filters(const Slices& keys, size_t size) const {
    if (size == 0) throw std::invalid_argument("filters of no keys");
    uint64_t bytes = 0;
    for (size_t start = 0; start + size <= keys.size(); start += size) {
      const Filter filter = Build(keys.data() + start, size);
      bytes += filter.contents.size();
    }
    return bytes;
  }

  std::unique_ptr<Reader> reader(rust::Slice<const uint8_t> filter) const {
    return std::make_unique<Reader>(*policy_, filter);
  }

  // Each key has its number as value.
  void write_table(rust::Str path, const Slices& keys, uint64_t partition_bytes) const {
    rocksdb::BlockBasedTableOptions table = options_;
    if (partition_bytes > 0) {
      table.partition_filters = true;
      table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
      table.metadata_block_size = partition_bytes;
    }
    rocksdb::Options options;
    options.compression = rocksdb::kNoCompression;
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options);
    Check(writer.Open(std::string(path)));
    for (size_t i = 0; i < keys.size(); i++) Check(writer.Put(keys[i], std::to_string(i)));
    Check(writer.Finish());
  }

 private:
  struct Filter {
    Slice contents;
    std::unique_ptr<const char[]> memory;
  };

  Filter Build(const Slice* keys, size_t n) const {
    const rocksdb::FilterBuildingContext context(options_);
    const std::unique_ptr<rocksdb::FilterBitsBuilder> builder(policy_->GetBuilderWithContext(context));
    for (size_t i = 0; i < n; i++) builder->AddKey(keys[i]);
    Filter filter;
    rocksdb::Status status;
    filter.contents = builder->Finish(&filter.memory, &status);
    if (!status.ok()) std::abort();
    return filter;
  }

  std::shared_ptr<const rocksdb::FilterPolicy> policy_;
  rocksdb::BlockBasedTableOptions options_;
};

}  // namespace rocksdb_shim
