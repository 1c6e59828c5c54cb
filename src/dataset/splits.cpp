#include "dataset/splits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "base/error.h"
#include "base/random.h"
#include "base/text.h"

namespace gs {
namespace {

constexpr const char* kOption = "--splits";
constexpr const char* kForms =
    "auto, own, random:5/15/80, per-class:20, per-class:20/30 or public:0";

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t cut = text.find(separator);
    parts.push_back(text.substr(0, cut));
    if (cut == std::string_view::npos) return parts;
    text.remove_prefix(cut + 1);
  }
}

[[noreturn]] void fail_spec(const std::string& spec, const std::string& why) {
  fail_usage(kOption, fmt::format("'{}': {}", printable(spec), why), fmt::format("use {}", kForms));
}

std::string place(const Dataset& data) { return data.name.empty() ? "the data" : data.name; }

void sort_all(Split& split) {
  for (auto* set : {&split.train, &split.val, &split.test}) std::sort(set->begin(), set->end());
}

std::vector<int32_t> labeled_nodes(const Dataset& data, const std::string& spec) {
  std::vector<int32_t> nodes;
  for (int64_t i = 0; i < data.nodes() && data.labels.task != Task::none; ++i) {
    if (data.labels.known(i)) nodes.push_back(static_cast<int32_t>(i));
  }
  if (nodes.size() < 3) {
    fail_data(place(data), fmt::format("{} labeled nodes are too few for '{}'", nodes.size(), spec),
              "train, validation and test need one labeled node each");
  }
  return nodes;
}

std::array<double, 3> parse_percents(const std::string& spec, std::string_view text) {
  const auto parts = parts_of(text, '/');
  if (parts.size() != 3) fail_spec(spec, "expected three percentages, as in 5/15/80");
  std::array<double, 3> percents{};
  for (int i = 0; i < 3; ++i) {
    const auto value = parse_number(parts[i]);
    if (!value || !(*value > 0)) {
      fail_spec(spec, fmt::format("'{}' is not a percentage above 0", printable(parts[i])));
    }
    percents[i] = *value;
  }
  const double sum = percents[0] + percents[1] + percents[2];
  if (!(sum <= 100 + 1e-6)) fail_spec(spec, fmt::format("the percentages add up to {:g}", sum));
  // 0.6/0.2/0.2 as percent would silently leave all but one node in a hundred out.
  if (sum <= 1) fail_spec(spec, "the numbers are percent: write 60/20/20, not 0.6/0.2/0.2");
  return percents;
}

Split random_split(std::vector<int32_t> nodes, const std::array<double, 3>& percents,
                   Random random) {
  random.shuffle(std::span<int32_t>(nodes));
  const auto count = static_cast<int64_t>(nodes.size());
  // Rounded down, as is usual; the small surplus keeps 0.1 + 0.2 from falling below 0.3.
  const auto share = [&](double percent) {
    return static_cast<int64_t>(std::floor(static_cast<double>(count) * percent / 100 + 1e-6));
  };
  const int64_t train = std::clamp<int64_t>(share(percents[0]), 1, count - 2);
  const int64_t val = std::clamp<int64_t>(share(percents[0] + percents[1]), train + 1, count - 1);
  const int64_t test =
      std::clamp<int64_t>(share(percents[0] + percents[1] + percents[2]), val + 1, count);
  Split split{{nodes.begin(), nodes.begin() + train},
              {nodes.begin() + train, nodes.begin() + val},
              {nodes.begin() + val, nodes.begin() + test}};
  sort_all(split);
  return split;
}

std::vector<std::vector<int32_t>> nodes_by_class(const Dataset& data, const std::string& spec) {
  if (data.labels.task == Task::multilabel) {
    fail_data(place(data),
              fmt::format("'{}' needs one label per node; this data has several", spec),
              "use --splits random:5/15/80");
  }
  std::vector<std::vector<int32_t>> members(data.labels.classes);
  for (const int32_t node : labeled_nodes(data, spec)) {
    members[data.labels.single[node]].push_back(node);
  }
  for (size_t c = 0; c < members.size(); ++c) {
    if (!members[c].empty()) continue;
    fail_data(place(data), fmt::format("class {} has no labeled node for '{}'", c, spec),
              "use --splits random:5/15/80, or number the classes without gaps");
  }
  return members;
}

Split per_class_split(std::vector<std::vector<int32_t>> members, int64_t train, int64_t val,
                      Random random) {
  Split split;
  for (auto& nodes : members) {
    random.shuffle(std::span<int32_t>(nodes));
    const auto count = static_cast<int64_t>(nodes.size());
    const auto train_end = nodes.begin() + std::min(train, count);
    const auto val_end = train_end + std::min<int64_t>(val, nodes.end() - train_end);
    split.train.insert(split.train.end(), nodes.begin(), train_end);
    split.val.insert(split.val.end(), train_end, val_end);
    split.test.insert(split.test.end(), val_end, nodes.end());
  }
  sort_all(split);
  return split;
}

const std::vector<Split>& own_splits(const Dataset& data) {
  if (data.splits.empty()) {
    fail_data(place(data), "it has no splits of its own", "use --splits random:5/15/80");
  }
  return data.splits;
}

int64_t parse_count(const std::string& spec, std::string_view text, int64_t least) {
  const auto value = parse_integer(text);
  if (!value || *value < least) {
    fail_spec(spec, fmt::format("'{}' is not an integer of at least {}", printable(text), least));
  }
  return *value;
}

std::vector<Split> random_splits(const Dataset& data, const std::string& spec,
                                 std::string_view argument, int64_t count, uint64_t seed) {
  const auto percents = parse_percents(spec, argument);
  const auto nodes = labeled_nodes(data, spec);
  std::vector<Split> splits;
  for (int64_t k = 0; k < count; ++k) {
    splits.push_back(random_split(nodes, percents, Random(seed).fork("split", k)));
  }
  return splits;
}

std::vector<Split> per_class_splits(const Dataset& data, const std::string& spec,
                                    std::string_view argument, int64_t count, uint64_t seed) {
  const auto parts = parts_of(argument, '/');
  if (parts.size() > 2) fail_spec(spec, "expected one or two counts, as in 20/30");
  const int64_t train = parse_count(spec, parts[0], 1);
  const int64_t val = parts.size() == 2 ? parse_count(spec, parts[1], 1) : 30;
  const auto members = nodes_by_class(data, spec);
  std::vector<Split> splits;
  for (int64_t k = 0; k < count; ++k) {
    splits.push_back(per_class_split(members, train, val, Random(seed).fork("split", k)));
    if (splits.back().val.empty() || splits.back().test.empty()) {
      fail_data(place(data),
                fmt::format("'{}' leaves no node for {}", spec,
                            splits.back().val.empty() ? "validation" : "test"),
                "ask for fewer nodes per class, or use --splits random:5/15/80");
    }
  }
  return splits;
}

}  // namespace

std::vector<Split> make_splits(const Dataset& data, const std::string& spec, int64_t count,
                               uint64_t seed) {
  const size_t colon = spec.find(':');
  const std::string kind = spec.substr(0, colon);
  const std::string_view argument =
      colon == std::string::npos ? std::string_view() : std::string_view(spec).substr(colon + 1);
  if (spec == "own") return own_splits(data);
  if (spec == "auto") {
    if (!data.splits.empty()) return data.splits;
    return random_splits(data, "random:5/15/80", "5/15/80", count, seed);
  }
  if (kind == "random") return random_splits(data, spec, argument, count, seed);
  if (kind == "per-class") return per_class_splits(data, spec, argument, count, seed);
  if (kind == "public") {
    const int64_t wanted = parse_count(spec, argument, 0);
    const auto& splits = own_splits(data);
    if (wanted >= static_cast<int64_t>(splits.size())) {
      fail_usage(kOption, fmt::format("'{}': {} has {} splits", spec, place(data), splits.size()),
                 fmt::format("they are numbered from 0 to {}", splits.size() - 1));
    }
    return {splits[wanted]};
  }
  fail_spec(spec, "no such kind of split");
}

void check_splits(std::vector<Split>& splits, int64_t nodes, const Labels& labels,
                  const std::string& where) {
  constexpr std::array<const char*, 3> kNames{"train", "validation", "test"};
  std::vector<int8_t> owner(nodes);  // 0: in none so far, else the set's number + 1
  for (size_t k = 0; k < splits.size(); ++k) {
    std::fill(owner.begin(), owner.end(), int8_t{0});
    const std::array sets{&splits[k].train, &splits[k].val, &splits[k].test};
    for (int8_t s = 0; s < 3; ++s) {
      for (const int32_t node : *sets[s]) {
        if (node < 0 || node >= nodes) {
          fail_data(where,
                    fmt::format("split {}: {} node {} is not one of the {} nodes", k, kNames[s],
                                node, nodes),
                    "ids in a split count from 0; is the file of another dataset?");
        }
        if (owner[node] != 0 && owner[node] != s + 1) {
          fail_data(where,
                    fmt::format("split {}: node {} is in both {} and {}", k, node,
                                kNames[owner[node] - 1], kNames[s]),
                    "a node may be in one of the three sets only");
        }
        owner[node] = static_cast<int8_t>(s + 1);
      }
    }
    for (int8_t s = 0; s < 3; ++s) sets[s]->clear();
    for (int64_t node = 0; node < nodes; ++node) {
      if (owner[node] == 0 || (labels.task != Task::none && !labels.known(node))) continue;
      sets[owner[node] - 1]->push_back(static_cast<int32_t>(node));
    }
  }
}

}  // namespace gs
