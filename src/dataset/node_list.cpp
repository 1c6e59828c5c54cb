#include "dataset/node_list.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "base/error.h"
#include "base/npy.h"
#include "base/text.h"

namespace gs {

namespace {

class NodeList {
 public:
  explicit NodeList(const Dataset& data)
      : count_(data.nodes()), named_(!data.node_ids.empty()), in_(static_cast<size_t>(count_)) {
    for (size_t i = 0; i < data.node_ids.size(); ++i)
      numbers_.emplace(data.node_ids[i], static_cast<int64_t>(i));
  }

  // `place()` is its place, for a message.
  template <class Place>
  void add(int64_t node, const Place& place) {
    if (node < 0 || node >= count_)
      fail_data(place(), fmt::format("{} is not a node", node),
                fmt::format("nodes are 0 to {}", count_ - 1));
    if (in_[static_cast<size_t>(node)])
      fail_data(place(), fmt::format("node {} is listed twice", node), "list every node once");
    in_[static_cast<size_t>(node)] = true;
    nodes_.push_back(static_cast<int32_t>(node));
  }

  template <class Place>
  void add(std::string_view id, const Place& place) {
    if (const auto found = numbers_.find(id); found != numbers_.end())
      return add(found->second, place);
    const bool numbered = id.starts_with('#');
    const auto node = parse_integer(id.substr(numbered ? 1 : 0));
    if (!node || (named_ && !numbered))
      fail_data(place(), fmt::format("no node has the id '{}'", printable(std::string(id))),
                named_ ? fmt::format("ids are those of the input file; node numbers are #0 to #{}",
                                     count_ - 1)
                       : fmt::format("nodes are 0 to {}", count_ - 1));
    add(*node, place);
  }

  std::vector<int32_t> take() { return std::move(nodes_); }

 private:
  int64_t count_;
  bool named_;
  std::vector<bool> in_;
  std::vector<int32_t> nodes_;
  std::unordered_map<std::string_view, int64_t> numbers_;
};

}  // namespace

std::vector<int32_t> read_nodes_in_order(const std::filesystem::path& path, const Dataset& data) {
  NodeList list(data);
  if (path.extension() == ".npy") {
    const NpyArray array = load_npy(path);
    array.require_dims(1);
    int64_t at = 0;
    for (const int64_t node : array.as<int64_t>()) {
      list.add(node, [&] { return fmt::format("{}[{}]", path.string(), at); });
      ++at;
    }
  } else {
    const TextFile file(path);
    std::string_view rest = file.text();
    for (int64_t line = 1; !rest.empty(); ++line) {
      const size_t end = std::min(rest.find('\n'), rest.size());
      if (const std::string_view id = trimmed(rest.substr(0, end)); !id.empty())
        list.add(id, [&] { return fmt::format("{}:{}", path.string(), line); });
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  std::vector<int32_t> out = list.take();
  if (out.empty()) fail_data(path.string(), "lists no node", "write one id per line");
  return out;
}

std::vector<int32_t> read_node_list(const std::filesystem::path& path, const Dataset& data) {
  std::vector<int32_t> out = read_nodes_in_order(path, data);
  std::ranges::sort(out);
  return out;
}

}  // namespace gs
