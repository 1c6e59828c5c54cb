// Golden cases (tests/golden, written by tools/make_*golden*.py) and how tensors are held against
// them. A comparison collects the names of what differs instead of failing, so that a test can also
// show that a changed number is noticed.
#pragma once

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/npz.h"
#include "graph/csr.h"
#include "nn/parameters.h"
#include "options/loss.h"
#include "options/model.h"

namespace gs::test {

using Tensors = std::map<std::string, at::Tensor>;

// Every array of numbers whose name begins with the prefix, in double, by the rest of its name.
inline Tensors read_tensors(const Npz& npz, const std::string& prefix = {}) {
  Tensors out;
  for (const std::string& name : npz.names()) {
    if (!name.starts_with(prefix)) continue;
    const NpyArray array = npz.get(name);
    if (array.type != DType::unicode && array.type != DType::bytes)
      out[name.substr(prefix.size())] = view_of(array.as<double>(), array.shape).clone();
  }
  return out;
}

// The archive of a group of cases; its members are named CASE/KEY.
inline std::filesystem::path golden_file(const std::string& group) {
  return std::filesystem::path(GS_TEST_SOURCE_DIR "/tests/golden") / (group + ".npz");
}

inline std::set<std::string> golden_cases(const std::string& group) {
  std::set<std::string> out;
  for (const std::string& name : Npz(golden_file(group)).names())
    out.insert(name.substr(0, name.find('/')));
  return out;
}

struct Golden {
  Golden(const std::string& group, const std::string& name) {
    const Npz npz(golden_file(group));
    const std::string prefix = name + "/";
    values = read_tensors(npz, prefix);
    if (npz.has(prefix + "options"))
      options = nlohmann::json::parse(npz.get(prefix + "options").strings().at(0));
    if (npz.has(prefix + "cancelled")) canceled = npz.get(prefix + "cancelled").strings();
  }
  Tensors values;                     // every array of numbers, in double
  nlohmann::json options;             // by their names on the command line
  std::vector<std::string> canceled;  // weights whose gradient is zero but for rounding
};

// A row of sources over one of targets; weights if there are any.
inline Csr graph_of(const Tensors& values, const std::string& edges = "edges") {
  const at::Tensor ends = values.at(edges).to(at::kInt).contiguous();
  const int32_t* begin = ends.const_data_ptr<int32_t>();
  EdgeList rows;
  rows.nodes = values.at("features").size(0);
  rows.source.assign(begin, begin + ends.size(1));
  rows.target.assign(begin + ends.size(1), begin + ends.numel());
  if (const auto found = values.find("weights"); found != values.end()) {
    const at::Tensor weights = found->second.to(at::kFloat);
    rows.weight.assign(weights.const_data_ptr<float>(),
                       weights.const_data_ptr<float>() + weights.numel());
  }
  return build_csr(std::move(rows), {});
}

// Copies PREFIX + name into each weight and buffer; throws when one is missing or has another
// shape, or when a value with that prefix is nobody's.
inline void set_values(const Parameters& parameters, const Tensors& values,
                       const std::string& prefix) {
  const at::NoGradGuard no_gradient;
  for (const auto& [name, tensor] : parameters.all()) {
    const auto found = values.find(prefix + name);
    if (found == values.end()) throw std::runtime_error(prefix + name + " is missing");
    if (found->second.sizes() != tensor.sizes())
      throw std::runtime_error(prefix + name + " has another shape");
    tensor.copy_(found->second);
  }
  const auto theirs = std::count_if(values.begin(), values.end(),
                                    [&](const auto& v) { return v.first.starts_with(prefix); });
  if (theirs != static_cast<int64_t>(parameters.all().size()))
    throw std::runtime_error("values that no parameter takes");
}

// |actual - expected| over |expected|, of the whole tensor; the plain distance when nothing is
// expected.
inline double relative_distance(const at::Tensor& actual, const at::Tensor& expected) {
  const double length = expected.norm().item<double>();
  const double distance = (actual.detach().to(at::kDouble) - expected).norm().item<double>();
  return length > 0 ? distance / length : distance;
}

class Differences {
 public:
  // The largest difference of an element, in units of the larger of 1 and the tensor's largest
  // element; or that of the tensor as a whole.
  enum class Measure { element, norm };
  Differences(Measure measure, double tolerance) : measure_(measure), tolerance_(tolerance) {}

  void compare(const std::string& name, const at::Tensor& actual, const at::Tensor& expected) {
    compared_.push_back(name);
    // Negated, so that a NaN differs.
    if (!actual.defined() || actual.sizes() != expected.sizes() ||
        !(distance(actual, expected) <= tolerance_))
      found_.push_back(name);
  }
  const std::vector<std::string>& found() const { return found_; }
  const std::vector<std::string>& compared() const { return compared_; }

 private:
  double distance(const at::Tensor& actual, const at::Tensor& expected) const {
    if (measure_ == Measure::norm) return relative_distance(actual, expected);
    const double scale = std::max(1.0, expected.abs().max().item<double>());
    return (actual.detach().to(at::kDouble) - expected).abs().max().item<double>() / scale;
  }

  Measure measure_;
  double tolerance_;
  std::vector<std::string> found_, compared_;
};

}  // namespace gs::test
