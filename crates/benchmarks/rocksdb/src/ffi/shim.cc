// RocksDB's filters, called directly, and tables that it writes.
//
// A FilterPolicy gives a FilterBitsBuilder and a FilterBitsReader through public virtual functions; these two classes
// themselves are internal. They are declared here with their virtual functions in the order of RocksDB 7.8
// (table/block_based/filter_policy_internal.h), as the tables of virtual functions in its library have them. No other
// release is taken.
//
// Errors are malloc'ed text.

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
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>

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

namespace {

using rocksdb::Slice;

// Rust passes keys as structs of a pointer and a length.
static_assert(std::is_standard_layout<Slice>::value && sizeof(Slice) == 2 * sizeof(size_t),
              "slices have another layout");

char* Copy(const char* bytes, size_t length) {
  char* copy = static_cast<char*>(std::malloc(length + 1));
  if (copy == nullptr) std::abort();
  std::memcpy(copy, bytes, length);
  copy[length] = '\0';
  return copy;
}

char* Error(const rocksdb::Status& status) {
  if (status.ok()) return nullptr;
  const std::string text = status.ToString();
  return Copy(text.data(), text.size());
}

// Keys that RocksDB asks a filter for in one call (MultiGetContext::MAX_BATCH_SIZE).
constexpr size_t kMostInCall = 32;

}  // namespace

extern "C" {

struct Policy {
  std::shared_ptr<const rocksdb::FilterPolicy> policy;
  rocksdb::BlockBasedTableOptions options;
};

struct Filter {
  rocksdb::Slice contents;
  std::unique_ptr<const char[]> memory;
};

}  // extern "C"

namespace {

Filter Build(const Policy* policy, const Slice* keys, size_t n) {
  const rocksdb::FilterBuildingContext context(policy->options);
  const std::unique_ptr<rocksdb::FilterBitsBuilder> builder(policy->policy->GetBuilderWithContext(context));
  for (size_t i = 0; i < n; i++) builder->AddKey(keys[i]);
  Filter filter;
  rocksdb::Status status;
  filter.contents = builder->Finish(&filter.memory, &status);
  if (!status.ok()) std::abort();
  return filter;
}

}  // namespace

extern "C" {

// The library's own version, which is not always that of the headers. Freed by shim_free.
char* shim_version() {
  const std::string version = rocksdb::GetRocksVersionAsString(true);
  return Copy(version.data(), version.size());
}

void shim_free(void* bytes) { std::free(bytes); }

// A policy of RocksDB's own, for tables of this format version. Freed by shim_policy_destroy.
Policy* shim_policy_new(bool ribbon, double bits_per_key, uint32_t format_version) {
  auto* policy = new Policy();
  policy->policy.reset(ribbon ? rocksdb::NewRibbonFilterPolicy(bits_per_key)
                              : rocksdb::NewBloomFilterPolicy(bits_per_key));
  policy->options.filter_policy = policy->policy;
  policy->options.format_version = format_version;
  return policy;
}

void shim_policy_destroy(Policy* policy) { delete policy; }

// The filter of all keys, malloc'ed.
char* shim_policy_create_filter(const Policy* policy, const Slice* keys, size_t n, size_t* filter_length) {
  const Filter filter = Build(policy, keys, n);
  *filter_length = filter.contents.size();
  return Copy(filter.contents.data(), filter.contents.size());
}

// Builds a filter of every `size` keys, one after the other, and gives the sum of their first bytes.
uint64_t shim_policy_create_filters(const Policy* policy, const Slice* keys, size_t n, size_t size) {
  uint64_t sum = 0;
  for (size_t start = 0; start + size <= n; start += size) {
    const Filter filter = Build(policy, keys + start, size);
    sum += static_cast<unsigned char>(filter.contents[0]);
  }
  return sum;
}

// The bytes must outlive the reader. Freed by shim_reader_destroy.
rocksdb::FilterBitsReader* shim_reader_new(const Policy* policy, const char* filter, size_t length) {
  return policy->policy->GetFilterBitsReader(Slice(filter, length));
}

void shim_reader_destroy(rocksdb::FilterBitsReader* reader) { delete reader; }

// How many of the keys may match, asked one by one.
uint64_t shim_reader_count_matches(rocksdb::FilterBitsReader* reader, const Slice* keys, size_t n) {
  uint64_t matches = 0;
  for (size_t i = 0; i < n; i++) matches += reader->MayMatch(keys[i]) ? 1 : 0;
  return matches;
}

// The same, asked as many keys in a call as RocksDB asks for in one.
uint64_t shim_reader_count_matches_in_batches(rocksdb::FilterBitsReader* reader, const Slice* keys, size_t n) {
  uint64_t matches = 0;
  Slice* pointers[kMostInCall];
  bool answers[kMostInCall];
  for (size_t start = 0; start < n; start += kMostInCall) {
    const size_t count = std::min(kMostInCall, n - start);
    // The reader takes pointers to slices that are not const, and only reads them.
    for (size_t i = 0; i < count; i++) pointers[i] = const_cast<Slice*>(keys + start + i);
    reader->MayMatch(static_cast<int>(count), pointers, answers);
    for (size_t i = 0; i < count; i++) matches += answers[i] ? 1 : 0;
  }
  return matches;
}

// Writes a table of these keys, which are sorted and different, each with its number as value. A block of a partition
// takes `partition_bytes`; with 0 there are no partitions. Gives the error, or null.
char* shim_write_table(const Policy* policy, const char* path, const Slice* keys, size_t n, uint64_t partition_bytes) {
  rocksdb::BlockBasedTableOptions table = policy->options;
  if (partition_bytes > 0) {
    table.partition_filters = true;
    table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
    table.metadata_block_size = partition_bytes;
  }
  rocksdb::Options options;
  options.compression = rocksdb::kNoCompression;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options);
  rocksdb::Status status = writer.Open(path);
  for (size_t i = 0; status.ok() && i < n; i++) status = writer.Put(keys[i], std::to_string(i));
  if (status.ok()) status = writer.Finish();
  return Error(status);
}

}  // extern "C"
