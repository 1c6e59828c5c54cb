// Small trainings: a graph that takes a second, a stop in the middle, and what a run wrote.
#pragma once

#include <atomic>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "base/progress.h"
#include "dataset/generate/generate.h"
#include "support/files.h"

namespace gs::test {

// Three classes and twelve features, unless `options` says otherwise.
inline Dataset small_graph(int64_t nodes, GenerateOptions options = {.features = 12}) {
  options.nodes = nodes, options.classes = 3, options.seed = 5;
  return generate(options);
}

// Asks a training to stop after so many batches, and keeps what it says.
class StopAfter final : public Progress {
 public:
  explicit StopAfter(int64_t batches) : left_(batches) {}
  void start(std::string_view task, int64_t, std::string_view) override {
    training_ = task == "training";
  }
  void advance(int64_t units) override {
    if (training_ && (left_ -= units) <= 0) stop = true;
  }
  void note(std::string_view) override {}
  void finish() override {}
  void say(std::string_view line) override { said += line; }

  std::atomic<bool> stop = false;
  std::string said;

 private:
  int64_t left_;
  bool training_ = false;
};

// The lines of metrics.jsonl, without what varies from one training to the next.
inline std::vector<nlohmann::json> metrics(const fs::path& run) {
  std::vector<nlohmann::json> lines;
  std::istringstream text(read_text(run / "metrics.jsonl"));
  for (std::string line; std::getline(text, line);) {
    lines.push_back(nlohmann::json::parse(line));
    for (const char* varies : {"seconds", "seconds_of", "peak_mib"}) lines.back().erase(varies);
  }
  return lines;
}

inline std::vector<double> losses(const fs::path& run) {
  std::vector<double> out;
  for (const nlohmann::json& line : metrics(run)) out.push_back(line.at("loss").at("total"));
  return out;
}

}  // namespace gs::test
