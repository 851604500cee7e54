// The same from C++: a leveldb::FilterPolicy around the C functions.
//
//   c++ -fno-rtti open_database.cc -o open_database -lfilter_policy_leveldb -lleveldb
//   ./open_database FOLDER
//
// LevelDB's own CMake project builds it without type information (-fno-rtti); a class derived from leveldb::FilterPolicy
// links to such a build, and to any other, if it is compiled without it too.

#include <filter_policy_leveldb.h>
#include <leveldb/db.h>
#include <leveldb/filter_policy.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

class Policy : public leveldb::FilterPolicy {
 public:
  Policy(double bits_per_key, filter_policy_kind kind) : state_(filter_policy_create(bits_per_key, kind)) {}
  ~Policy() override { filter_policy_destroy(state_); }
  Policy(const Policy&) = delete;
  Policy& operator=(const Policy&) = delete;

  const char* Name() const override { return filter_policy_name(state_); }

  void CreateFilter(const leveldb::Slice* keys, int n, std::string* dst) const override {
    std::vector<const char*> starts;
    std::vector<size_t> lengths;
    for (int i = 0; i < n; i++) {
      starts.push_back(keys[i].data());
      lengths.push_back(keys[i].size());
    }
    size_t length = 0;
    std::unique_ptr<char, decltype(&std::free)> filter(
        filter_policy_create_filter(state_, starts.data(), lengths.data(), n, &length), std::free);
    dst->append(filter.get(), length);
  }

  bool KeyMayMatch(const leveldb::Slice& key, const leveldb::Slice& filter) const override {
    return filter_policy_key_may_match(state_, key.data(), key.size(), filter.data(), filter.size()) != 0;
  }

 private:
  filter_policy_state* const state_;
};

namespace {

constexpr int kKeys = 10000;

void Check(const leveldb::Status& status) {
  if (!status.ok()) {
    std::cerr << status.ToString() << "\n";
    std::exit(1);
  }
}

int CountPresent(leveldb::DB& db, const std::string& suffix) {
  int present = 0;
  for (int i = 0; i < kKeys; i++) {
    std::string value;
    const leveldb::Status status = db.Get(leveldb::ReadOptions(), "key" + std::to_string(i) + suffix, &value);
    if (!status.IsNotFound()) Check(status);
    present += status.ok();
  }
  return present;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: open_database FOLDER\n";
    return 2;
  }
  // Outlives the database.
  const Policy policy(10, filter_policy_leveldb);
  leveldb::Options options;
  options.create_if_missing = true;
  options.filter_policy = &policy;

  leveldb::DB* opened = nullptr;
  Check(leveldb::DB::Open(options, argv[1], &opened));
  const std::unique_ptr<leveldb::DB> db(opened);
  for (int i = 0; i < kKeys; i++) {
    Check(db->Put(leveldb::WriteOptions(), "key" + std::to_string(i), "value"));
  }
  // Filters are built when tables are.
  db->CompactRange(nullptr, nullptr);
  std::cout << CountPresent(*db, "") << " of " << kKeys << " stored keys found\n";
  std::cout << CountPresent(*db, "-absent") << " of " << kKeys << " absent keys found\n";
}
