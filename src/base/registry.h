// Plain name tables: {"neighbor", make_neighbor, "sampled k-hop neighborhoods"}. A folder lists
// what it offers in one table; an unknown name is a usage error that lists the known ones and
// suggests the nearest.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace gs {

template <class T>
struct Named {
  std::string_view name;
  T value;
  std::string_view about;
};

// One value that an option takes, with the sentence that --help prints for it.
struct Choice {
  std::string name, about;
};

// A row of a table that is read without libtorch while `T`, which the row only names, needs it.
template <class T>
struct Row {
  std::string_view name, about;
};

// The candidate closest to `name` in edit distance (swaps of neighbors count one), or "" when none
// is near.
std::string nearest(std::string_view name, std::span<const std::string> candidates);

// "unknown KIND 'nmae'; did you mean 'name'?", with every candidate listed in the hint.
[[noreturn]] void fail_unknown(std::string_view kind, std::string_view name,
                               std::span<const std::string> candidates, std::string where = {});

template <class T>
std::vector<std::string> names(std::span<const Named<T>> table) {
  std::vector<std::string> out;
  for (const auto& row : table) out.emplace_back(row.name);
  return out;
}

template <class T>
std::vector<Choice> choices_of(std::span<const Named<T>> table) {
  std::vector<Choice> out;
  for (const auto& row : table) out.push_back({std::string(row.name), std::string(row.about)});
  return out;
}

template <class T>
const Named<T>& find(std::span<const Named<T>> table, std::string_view name,
                     std::string_view kind) {
  for (const auto& row : table)
    if (row.name == name) return row;
  fail_unknown(kind, name, names(table));
}

template <class T>
std::string_view name_of(std::span<const Named<T>> table, const T& value) {
  for (const auto& row : table)
    if (row.value == value) return row.name;
  GS_ASSERT(!"value is missing from its name table");
}

}  // namespace gs
