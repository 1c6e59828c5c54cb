// Options of the spectral method: which filters of the graph, what happens to the filtered
// features, and how their leading directions are weighed.
#pragma once

#include <vector>

#include "base/options.h"

namespace gs {

enum class Transform { automatic, shares, powers, unit, none };
inline constexpr Named<Transform> kTransforms[] = {
    {"auto", Transform::automatic,
     "unit if some feature is negative, otherwise powers if nodes have 30 features or more on "
     "average, otherwise shares"},
    {"shares", Transform::shares,
     "square roots of a row's shares of its sum, so that distances are Hellinger's"},
    {"powers", Transform::powers,
     "values to the power of 5/8, rows scaled to length 1: between shares (1/2) and unit (1)"},
    {"unit", Transform::unit, "rows scaled to length 1"},
    {"none", Transform::none, "the filtered features as they are"}};
constexpr std::span<const Named<Transform>> names_of(Transform) { return kTransforms; }

// A polynomial of the normalized adjacency, f(A) = sum over k of coefficients[k] A^k, and what its
// part of the embedding gets: the root mean square length of its rows, and its share of the columns
// relative to other parts.
struct GraphFilter {
  std::vector<double> coefficients;
  double weight = 1, share = 1;
};

struct SpectralOptions {
  std::string filters = "own*0.85,pagerank:0.3,pagerank:0.1@2";
  int64_t hops = 10;
  Transform transform = Transform::automatic;
  bool center = true;
  bool scale_columns = false;
  double noise = 1;
  double power = 0;
  bool denoise = true;
  double magnitudes = -1;  // below 0: chosen from the data

  void describe(OptionList& v);
  // Usage Error if `filters` is not a list of them.
  std::vector<GraphFilter> parsed_filters() const;
  // The filters as they are written in `filters`, one by one.
  std::vector<std::string_view> filter_names() const;
};

}  // namespace gs
