#include "core/inspect_json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/nearest.h"

namespace gs {

namespace {

using nlohmann::json;

json to_json(const Spectrum& spectrum) {
  return {{"values", spectrum.values}, {"effective_rank", spectrum.effective_rank}};
}

std::string name_in(const std::vector<std::string>& names, int64_t i) {
  return names.empty() ? std::to_string(i) : names[static_cast<size_t>(i)];
}

// The columns that a head amplifies or suppresses most, or that the heads treat most differently.
template <class Order>
json chosen(std::vector<FeatureGain> gains, int64_t top, const std::vector<std::string>& names,
            const Order& before) {
  const auto end = gains.begin() + std::min<int64_t>(top, std::ssize(gains));
  std::partial_sort(gains.begin(), end, gains.end(), before);
  json out = json::array();
  for (auto it = gains.begin(); it != end; ++it)
    out.push_back({{"name", name_in(names, it->feature)},
                   {"column", it->feature},
                   {"first", it->first},
                   {"second", it->second}});
  return out;
}

json to_json(const Mixing& mixing, const std::vector<std::string>& names) {
  json closest = json::array();
  for (const Mixing::Pair& pair : mixing.closest)
    closest.push_back({{"name", name_in(names, pair.feature)},
                       {"column", pair.feature},
                       {"with", name_in(names, pair.with)},
                       {"with_column", pair.with},
                       {"cosine", pair.cosine}});
  return {{"features_each", mixing.features_each}, {"closest", closest}};
}

json quantiles(std::vector<float> values) {
  std::sort(values.begin(), values.end());
  json out;
  for (const int percent : {0, 5, 25, 50, 75, 95, 100}) {
    const auto at = static_cast<size_t>(
        std::llround(static_cast<double>(percent) / 100 * static_cast<double>(values.size() - 1)));
    out[std::to_string(percent)] = values[at];
  }
  return out;
}

json histogram(const std::vector<float>& values) {  // of [-1, 1], in forty steps
  std::vector<int64_t> counts(40);
  for (const float v : values)
    ++counts[static_cast<size_t>(std::clamp((v + 1) * 20.0f, 0.0f, 39.0f))];
  return counts;
}

}  // namespace

json to_json(const Insight& insight, const Dataset& data, int64_t top) {
  const auto& names = data.feature_names;
  const auto spread = [](const FeatureGain& g) { return std::abs(g.first - g.second); };
  json out{{"heads_read", insight.of_features ? "features" : "encoding"},
           {"linear", insight.linear},
           {"gain_correlation", insight.gain_correlation},
           {"weight_cosine", insight.weight_cosine},
           {"principal_angles", insight.angles},
           {"angles_between", insight.angles_of_outputs ? "outputs" : "inputs"},
           {"cka", insight.cka}};
  json first = json::array(), second = json::array();
  for (const FeatureGain& g : insight.gains) first.push_back(g.first), second.push_back(g.second);
  out["gains"] = {
      {"first", first},
      {"second", second},
      {"amplified_by_first",
       chosen(insight.gains, top, names,
              [](const auto& a, const auto& b) { return a.first > b.first; })},
      {"amplified_by_second",
       chosen(insight.gains, top, names,
              [](const auto& a, const auto& b) { return a.second > b.second; })},
      {"suppressed_by_first",
       chosen(insight.gains, top, names,
              [](const auto& a, const auto& b) { return a.first < b.first; })},
      {"suppressed_by_second",
       chosen(insight.gains, top, names,
              [](const auto& a, const auto& b) { return a.second < b.second; })},
      {"told_apart", chosen(insight.gains, top, names,
                            [&](const auto& a, const auto& b) { return spread(a) > spread(b); })}};
  out["mixing"] = {{"first", to_json(insight.mixing[0], names)},
                   {"second", to_json(insight.mixing[1], names)}};
  out["spectrum"] = {{"first_head", to_json(insight.heads[0])},
                     {"second_head", to_json(insight.heads[1])},
                     {"first_view", to_json(insight.views[0])},
                     {"second_view", to_json(insight.views[1])},
                     {"embedding", to_json(insight.embedding)}};
  double mean = 0;
  for (const float v : insight.agreement)
    mean += static_cast<double>(v) / static_cast<double>(insight.agreement.size());
  out["agreement"] = {{"mean", mean},
                      {"quantiles", quantiles(insight.agreement)},
                      {"histogram", histogram(insight.agreement)}};
  out["disagree"] = json::array();
  for (const NodeAgreement& n : insight.disagree) {
    json node{{"id", id_of(data, n.node)},
              {"node", n.node},
              {"cosine", n.cosine},
              {"degree", data.graph.degree(n.node)}};
    if (!data.labels.single.empty() && data.labels.single[n.node] >= 0)
      node["class"] = name_in(data.class_names, data.labels.single[n.node]);
    out["disagree"].push_back(node);
  }
  out["classes"] = json::array();
  for (const ClassInsight& c : insight.classes)
    out["classes"].push_back({{"name", name_in(data.class_names, c.id)},
                              {"nodes", c.nodes},
                              {"agreement", c.agreement},
                              {"effective_rank", c.effective_rank}});
  return out;
}

}  // namespace gs
