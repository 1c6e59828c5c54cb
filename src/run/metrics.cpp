#include "run/metrics.h"

#include <sys/resource.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"

namespace gs {

namespace {

std::string line_of(const EpochMetrics& m) {
  nlohmann::json loss{{"total", m.loss}};
  for (const auto& [name, value] : m.terms) loss[name] = value;
  nlohmann::json line{{"epoch", m.epoch},
                      {"loss", loss},
                      {"gradient_norm", m.gradient_norm},
                      {"seconds", m.seconds},
                      {"peak_mib", peak_mib()}};
  if (m.effective_rank) line["effective_rank"] = *m.effective_rank;
  if (m.split) line["split"] = *m.split;
  if (m.validation) line["validation"] = *m.validation;
  if (m.batches > 1) line["batches"] = m.batches;
  if (m.sample_seconds > 0)
    line["seconds_of"] = {
        {"sample", m.sample_seconds}, {"gather", m.gather_seconds}, {"wait", m.wait_seconds}};
  return line.dump() + "\n";
}

}  // namespace

double peak_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void MetricsFile::create() {
  write_file(path_, "");
  bytes_ = 0;
}

void MetricsFile::cut_back(int64_t bytes) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path_, error);
  if (error || static_cast<int64_t>(size) < bytes) return create();
  std::filesystem::resize_file(path_, static_cast<uintmax_t>(bytes));
  bytes_ = bytes;
}

void MetricsFile::append(const EpochMetrics& epoch) {
  const std::string line = line_of(epoch);
  std::ofstream out(path_, std::ios::app);
  out << line;
  if (!out.flush())
    fail_data(path_.string(), "cannot be written", "check that the disk is not full");
  bytes_ += static_cast<int64_t>(line.size());
}

MetricsFile::Costs MetricsFile::costs() const {
  Costs out;
  std::ifstream in(path_);
  for (std::string text; std::getline(in, text);) {
    const auto line = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (!line.is_object()) continue;  // not a line of this program
    const auto number = [&](const char* key) {
      const auto found = line.find(key);
      return found != line.end() && found->is_number() ? found->get<double>() : 0;
    };
    out.seconds.push_back(number("seconds"));
    out.peak_mib = std::max(out.peak_mib, number("peak_mib"));
  }
  return out;
}

}  // namespace gs
