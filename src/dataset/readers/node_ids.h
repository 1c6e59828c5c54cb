// Maps the ids in a user's files to nodes 0..N-1. All files of one dataset share a NodeIds: while
// they are read, an id becomes a key (an integer is its own key; a name's key is
// its order of appearance); number_nodes() then decides the nodes. Integers that are exactly 0..N-1
// stay as they are, others are numbered in ascending order, names in order of appearance. A file
// whose row i is node i fixes N and needs ids 0..N-1, or a list of ids in that order.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace gs {

// Distinct strings, numbered in order of appearance: a hash table of eight bytes per slot,
// since a node-based one spends most of its time on cache misses.
class NameIndex {
 public:
  int64_t find(std::string_view name) const;  // -1 when it is not there
  int64_t add(std::string_view name);         // it must not be there
  const std::deque<std::string>& names() const { return names_; }

 private:
  struct Slot {
    uint32_t tag = 0;  // upper half of the hash
    int32_t name = -1;
  };
  void place(uint64_t hash, int32_t name);

  std::deque<std::string> names_;
  std::vector<Slot> slots_;  // a power of two, at most half full
};

class NodeIds {
 public:
  explicit NodeIds(bool integers) : integers_(integers) {}

  bool integers() const { return integers_; }

  // The key of a field. Data Error at its place when an integer is wanted and it is none, or a name
  // is not UTF-8.
  int64_t key(const TableReader& table, size_t column);
  int64_t key(std::string_view text, const std::string& place);

  // Makes these keys nodes (names already are, by their key). In integer mode the distinct ones are
  // gathered.
  template <class Key>
  void add(std::span<const Key> keys);
  int64_t known() const {  // nodes so far
    return static_cast<int64_t>(integers_ || ordered_ ? keys_.size() : names_.names().size());
  }
  // Whether every node so far is in the list.
  bool has_all_within(std::span<const int64_t> sorted_keys) const;

  // The ids in the order of the rows of other files; `place_of(row)` is for the message about a
  // repeated one.
  void set_order(std::vector<int64_t> keys, const std::function<std::string(int64_t)>& place_of);

  // `rows`: the rows of a file whose row i is node i, or -1 when there is none. `where` names that
  // file.
  void number_nodes(int64_t rows, const std::string& where);

  // After number_nodes().
  int64_t count() const { return count_; }
  bool rows_are_nodes() const { return identity_ || ordered_; }  // row i of a file may mean node i
  int32_t node(int64_t key) const;                               // -1 when it is none
  int32_t find(std::string_view text) const;                     // -1 when it is none
  std::string text_of(int64_t key) const;
  std::vector<std::string> original_ids() const;  // empty when they are 0..N-1

 private:
  void index_keys();

  bool integers_, identity_ = false, ordered_ = false;
  int64_t count_ = 0;
  // Integers: distinct and ascending; with an order: in ascending order of key.
  std::vector<int64_t> keys_;
  std::vector<int32_t> nodes_;  // with an order: the node of keys_[i]
  std::vector<int32_t> table_;  // node by key - keys_[0], where the keys are dense enough
  NameIndex names_;
};

}  // namespace gs
