#include "dataset/readers/node_ids.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "graph/csr.h"

namespace gs {
namespace {

// Distinct values, ascending. Dense ones are marked in a byte map, which is many times faster than
// sorting.
template <class Key>
std::vector<int64_t> distinct(std::span<const Key> keys) {
  std::vector<int64_t> out;
  if (keys.empty()) return out;
  const auto [low, high] = std::minmax_element(keys.begin(), keys.end());
  const auto first = static_cast<int64_t>(*low);
  const uint64_t span = static_cast<uint64_t>(*high) - static_cast<uint64_t>(*low);
  if (span <= keys.size() + 1024) {
    std::vector<uint8_t> seen(span + 1);
    for (const Key key : keys) seen[static_cast<int64_t>(key) - first] = 1;
    for (uint64_t i = 0; i <= span; ++i) {
      if (seen[i]) out.push_back(first + static_cast<int64_t>(i));
    }
    return out;
  }
  std::vector<Key> sorted(keys.begin(), keys.end());
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  out.assign(sorted.begin(), sorted.end());
  return out;
}

uint64_t hash_of(std::string_view name) { return std::hash<std::string_view>()(name); }

}  // namespace

int64_t NameIndex::find(std::string_view name) const {
  if (slots_.empty()) return -1;
  const uint64_t hash = hash_of(name), mask = slots_.size() - 1;
  for (uint64_t at = hash & mask; slots_[at].name >= 0; at = (at + 1) & mask) {
    if (slots_[at].tag == hash >> 32 && names_[slots_[at].name] == name) return slots_[at].name;
  }
  return -1;
}

int64_t NameIndex::add(std::string_view name) {
  names_.emplace_back(name);
  if (2 * names_.size() > slots_.size()) {
    slots_.assign(std::max<size_t>(64, 2 * slots_.size()), Slot());
    for (size_t i = 0; i < names_.size(); ++i) place(hash_of(names_[i]), static_cast<int32_t>(i));
  } else {
    place(hash_of(name), static_cast<int32_t>(names_.size() - 1));
  }
  return static_cast<int64_t>(names_.size()) - 1;
}

void NameIndex::place(uint64_t hash, int32_t name) {
  const uint64_t mask = slots_.size() - 1;
  uint64_t at = hash & mask;
  while (slots_[at].name >= 0) at = (at + 1) & mask;
  slots_[at] = {static_cast<uint32_t>(hash >> 32), name};
}

int64_t NodeIds::key(const TableReader& table, size_t column) {
  const std::string_view field = table.fields()[column];
  if (integers_) {
    if (const auto id = parse_integer(field)) return *id;
  } else if (const int64_t found = names_.find(trimmed(field)); found >= 0) {
    return found;
  }
  return key(field, table.place());
}

int64_t NodeIds::key(std::string_view text, const std::string& place) {
  text = trimmed(text);
  if (integers_) {
    if (const auto id = parse_integer(text)) return *id;
    fail_data(
        place,
        fmt::format("'{}' is not an integer id, as the edges' first rows have", printable(text)),
        "make every id an integer, or put a letter before each so that all are names");
  }
  if (const int64_t found = names_.find(text); found >= 0) return found;
  if (text.empty()) fail_data(place, "an id is empty", "give every node a name");
  if (!is_utf8(text)) fail_data(place, "an id is not UTF-8 text", "convert the file to UTF-8");
  if (ordered_) {
    fail_data(place, fmt::format("id '{}' is not in the list of ids", printable(text)),
              "add it to the ids file");
  }
  const int64_t key = names_.add(text);
  check_node_count(key + 1, place);
  return key;
}

template <class Key>
void NodeIds::add(std::span<const Key> keys) {
  if (!integers_ || ordered_) return;
  const auto more = distinct(keys);
  std::vector<int64_t> merged;
  merged.reserve(std::max(keys_.size(), more.size()));
  std::set_union(keys_.begin(), keys_.end(), more.begin(), more.end(), std::back_inserter(merged));
  keys_ = std::move(merged);
}

template void NodeIds::add(std::span<const int32_t>);
template void NodeIds::add(std::span<const int64_t>);

bool NodeIds::has_all_within(std::span<const int64_t> sorted_keys) const {
  return std::includes(sorted_keys.begin(), sorted_keys.end(), keys_.begin(), keys_.end());
}

void NodeIds::set_order(std::vector<int64_t> keys,
                        const std::function<std::string(int64_t)>& place_of) {
  std::vector<int32_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int32_t a, int32_t b) { return keys[a] < keys[b]; });
  for (size_t i = 1; i < order.size(); ++i) {
    if (keys[order[i]] != keys[order[i - 1]]) continue;
    fail_data(place_of(order[i]),
              fmt::format("id '{}' is listed twice", printable(text_of(keys[order[i]]))),
              "a node is listed once");
  }
  ordered_ = true;
  keys_.clear();
  for (const int32_t i : order) keys_.push_back(keys[i]);
  nodes_ = std::move(order);
}

void NodeIds::number_nodes(int64_t rows, const std::string& where) {
  if (!integers_ && !ordered_) {
    if (rows >= 0) {
      fail_data(where, "its row i is node i, but nodes of the edges have names",
                "add an ids.csv that lists the ids in the order of the rows, or a table with an id "
                "column");
    }
    count_ = static_cast<int64_t>(names_.names().size());
  } else if (ordered_) {
    count_ = static_cast<int64_t>(keys_.size());
    if (rows >= 0 && rows != count_) {
      fail_data(where, fmt::format("{} rows for {} ids", rows, count_),
                "the list of ids has one entry per row");
    }
    index_keys();
  } else {
    const auto distinct_keys = static_cast<int64_t>(keys_.size());
    const bool from_zero =
        keys_.empty() || (keys_.front() == 0 && keys_.back() == distinct_keys - 1);
    identity_ = rows >= 0 || from_zero;
    count_ = rows >= 0 ? rows : distinct_keys;
    if (identity_) keys_ = {};
    else index_keys();
  }
  check_node_count(count_, where);
}

void NodeIds::index_keys() {
  if (keys_.empty()) return;
  const uint64_t span = static_cast<uint64_t>(keys_.back()) - static_cast<uint64_t>(keys_.front());
  if (span > 4 * keys_.size() + 1024) return;
  table_.assign(span + 1, -1);
  for (size_t i = 0; i < keys_.size(); ++i) {
    table_[keys_[i] - keys_.front()] = nodes_.empty() ? static_cast<int32_t>(i) : nodes_[i];
  }
}

int32_t NodeIds::node(int64_t key) const {
  if (identity_ || (!integers_ && !ordered_))
    return key >= 0 && key < count_ ? static_cast<int32_t>(key) : -1;
  if (keys_.empty() || key < keys_.front() || key > keys_.back()) return -1;
  if (!table_.empty()) return table_[key - keys_.front()];
  const auto at = std::lower_bound(keys_.begin(), keys_.end(), key);
  if (at == keys_.end() || *at != key) return -1;
  const auto i = at - keys_.begin();
  return nodes_.empty() ? static_cast<int32_t>(i) : nodes_[i];
}

int32_t NodeIds::find(std::string_view text) const {
  text = trimmed(text);
  if (integers_) {
    const auto id = parse_integer(text);
    return id ? node(*id) : -1;
  }
  const int64_t found = names_.find(text);
  return found < 0 ? -1 : node(found);
}

std::string NodeIds::text_of(int64_t key) const {
  return integers_ ? std::to_string(key) : names_.names()[key];
}

std::vector<std::string> NodeIds::original_ids() const {
  if (identity_) return {};
  std::vector<std::string> ids(count_);
  if (!integers_ && !ordered_) {
    ids.assign(names_.names().begin(), names_.names().end());
    return ids;
  }
  bool same = integers_;
  for (size_t i = 0; i < keys_.size(); ++i) {
    const int64_t at = nodes_.empty() ? static_cast<int64_t>(i) : nodes_[i];
    same = same && keys_[i] == at;
    ids[at] = text_of(keys_[i]);
  }
  return same ? std::vector<std::string>() : ids;
}

}  // namespace gs
