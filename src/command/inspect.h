// `inspect`: what the learned augmentations of a GraphSurgeon run do, or what a solved embedding is
// made of, with features, classes and nodes named as the data names them. No libtorch in this
// header; eval/inspect.h computes.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/progress.h"
#include "dataset/load.h"

namespace gs {

struct InspectRequest {
  std::string run, data;
  LoadOptions load;
  std::set<std::string> given = {};  // names of the options of `load` that the user set
  int64_t top = 20;                  // number of features and nodes to list
  int64_t memory_mib = 8192;
  std::string device = "cpu";
  std::string agreement = {};  // an .npy to write: the cosine of each node's two views
  std::string output = {};     // a JSON file to write: the result
  bool overwrite = false;      // replace existing files of these two
  int threads = 0;             // 0: all cores
};

// How strongly each view passes a feature on; the median is 1.
struct GainRow {
  std::string name;
  int64_t column = 0;
  double first = 0, second = 0;
};

// A feature, and the feature with the most similar effect.
struct MixedRow {
  std::string name, with;
  int64_t column = 0, with_column = 0;
  double cosine = 0;
};

struct SpectrumRow {
  std::vector<double> values;
  double effective_rank = 0;
};

struct HeadRow {
  std::vector<double> gains;  // one per feature
  std::vector<GainRow> amplified, suppressed;
  double features_each = 0;  // median number of features that make up a column
  std::vector<MixedRow> closest;
  SpectrumRow weights, view;
};

struct NodeRow {
  std::string id;
  int64_t node = 0;
  double cosine = 0;
  int64_t degree = 0;
  std::optional<std::string> label;
};

struct ClassRow {
  std::string name;
  int64_t nodes = 0;
  double agreement = 0, effective_rank = 0;
};

// A column of a solved embedding, and the features with the largest weights in it.
struct DirectionRow {
  struct Weight {
    std::string name;
    int64_t column = 0;
    double weight = 0;  // relative to the largest
  };
  double share = 0;  // of its filter's energy
  std::vector<Weight> features;
};

struct FilterRow {
  std::string name;  // as in --filters
  int64_t columns = 0;
  double share = 0, effective_rank = 0;  // share of the embedding's energy
  std::vector<DirectionRow> leading;
};

// Of a solved embedding `filters`, `magnitudes`, `embedding` and `classes` are filled, of
// GraphSurgeon all others.
struct InspectResult {
  std::vector<FilterRow> filters;
  double magnitudes = 0;    // share of the columns that hold sums and degrees
  bool of_features = true;  // the heads read features; otherwise the encoding
  bool linear = true;       // the heads have one layer; otherwise only their first layer is shown
  HeadRow heads[2];
  std::vector<GainRow> told_apart;  // the features that the heads treat most differently
  double gain_correlation = 0, weight_cosine = 0, cka = 0;
  std::vector<double> angles;      // degrees between the heads, ascending
  bool angles_of_outputs = false;  // angles between what the heads write; otherwise what they read
  SpectrumRow embedding;
  double mean_agreement = 0;       // cosine of a node's two views
  std::map<int, float> quantiles;  // quantiles of the same cosine, by percent
  std::vector<int64_t> histogram;  // histogram of the same cosine over [-1, 1]
  std::vector<NodeRow> disagree;   // the nodes with the lowest cosine, worst first
  std::vector<ClassRow> classes;
};

// Data Error if `run` is not a run folder; usage Error if its method is neither GraphSurgeon nor
// spectral.
InspectResult run(const InspectRequest& request, Progress& progress = no_progress());

nlohmann::json to_json(const InspectResult& result);
std::string to_text(const InspectResult& result);

}  // namespace gs
