// Golden cases (tests/golden, written by tools/make_golden.py) and how tensors are held against
// them. A comparison collects the names of what differs instead of failing, so that a test can also
// show that a changed number is noticed.
#pragma once

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
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

struct Golden {
  std::string name;
  ModelOptions model;
  LossOptions loss;
  Csr graph;
  std::vector<std::string> canceled;  // weights whose gradient is zero but for rounding
  Tensors values;                     // every array of numbers, in double
};

inline bool is_text(const NpyArray& array) {
  return array.type == DType::unicode || array.type == DType::bytes;
}

// Every array of numbers in the file, in double.
inline Tensors read_tensors(const std::filesystem::path& file) {
  const Npz npz(file);
  Tensors out;
  for (const std::string& name : npz.names()) {
    const NpyArray array = npz.get(name);
    if (!is_text(array)) out[name] = view_of(array.as<double>(), array.shape).clone();
  }
  return out;
}

// The cases in a folder of tests/golden, or beside those folders.
inline std::vector<std::filesystem::path> golden_files(const std::string& folder = {}) {
  std::vector<std::filesystem::path> out;
  const auto root = std::filesystem::path(GS_TEST_SOURCE_DIR "/tests/golden") / folder;
  for (const auto& entry : std::filesystem::directory_iterator(root))
    if (entry.path().extension() == ".npz") out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

inline Csr read_graph(const Npz& npz, int64_t nodes) {
  const auto edges = npz.get("edges").as<int32_t>();
  const int64_t count = edges.size() / 2;
  EdgeList rows;
  rows.nodes = nodes;
  rows.source.assign(edges.begin(), edges.begin() + count);
  rows.target.assign(edges.begin() + count, edges.end());
  if (npz.has("weights")) {
    const auto weights = npz.get("weights").as<float>();
    rows.weight.assign(weights.begin(), weights.end());
  }
  return build_csr(std::move(rows), {});
}

inline Golden read_golden(const std::filesystem::path& file) {
  const Npz npz(file);
  Golden out;
  out.name = file.stem().string();
  out.values = read_tensors(file);
  OptionList list;
  out.model.describe(list);
  out.loss.describe(list);
  list.set_json(nlohmann::json::parse(npz.get("options").strings().at(0)), out.name, true);
  if (npz.has("cancelled")) out.canceled = npz.get("cancelled").strings();

  out.graph = read_graph(npz, out.values.at("features").size(0));
  return out;
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
