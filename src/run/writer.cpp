#include "run/writer.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/file.h"
#include "base/npy.h"
#include "nn/tensor.h"
#include "run/card.h"
#include "run/fingerprint.h"

namespace gs {

void RunWriter::write_options() const { write_file(folder_.options(), to_json_text(info_) + "\n"); }

void RunWriter::start() {
  if (!writes_) return;
  folder_.make_empty();
  write_options();
  metrics_.create();
  save_record(folder_, record_);
  writing_ = true;
}

void RunWriter::resume(int64_t metrics_bytes) {
  if (!writes_) return;
  folder_.remove_temporaries();
  folder_.unseal();
  write_options();
  metrics_.cut_back(metrics_bytes);
  const MetricsFile::Costs before = metrics_.costs();
  seconds_ = before.seconds;
  peak_before_ = before.peak_mib;
  if (const RunRecord earlier = load_record(folder_); !earlier.date.empty())
    record_.date = earlier.date, seconds_before_ = earlier.seconds;
  save_record(folder_, record_);
  writing_ = true;
}

void RunWriter::append(const EpochMetrics& epoch) {
  seconds_.push_back(epoch.seconds);
  if (writes_) metrics_.append(epoch);
}

void RunWriter::save_models(const TensorMap& weights, const Kept& kept,
                            const std::vector<Split>& splits) {
  if (!writes_) return;
  for (size_t s = 0; s < kept.weights.size(); ++s)
    save_model(folder_.split_model(s), kept.weights[s], info_, fingerprint(splits[s]));
  std::error_code none;
  std::filesystem::remove(folder_.scores(), none);  // they are scores of another model
  save_model(folder_.model(), weights, info_);
}

void RunWriter::save_embeddings(const at::Tensor& z, const std::vector<std::string>& ids) {
  if (!writes_) return;
  const int64_t shape[] = {z.size(0), z.size(1)};
  save_npy<float>(folder_.embeddings(), floats(z), shape);
  save_ids(ids);
}

void RunWriter::save_ids(const std::vector<std::string>& ids) {
  if (!writes_) return;
  if (!ids.empty()) write_file(folder_.ids(), fmt::format("{}\n", fmt::join(ids, "\n")));
  folder_.seal();
}

void RunWriter::finish(int64_t rows, int64_t columns, double effective_rank, int64_t epochs,
                       double seconds) {
  if (!writes_) return;
  record_.state = RunRecord::State::finished;
  record_.epoch = epochs;
  record_.rows = rows, record_.columns = columns;
  record_.effective_rank = effective_rank;
  record_.seconds = seconds_before_ + seconds;
  record_.peak_mib = peak_mib();
  save_record(folder_, record_);
  write_card(folder_);
}

void RunWriter::stop(const Error& error, int64_t epochs, double seconds) {
  if (!writing_ || !writes_) return;
  const bool interrupted = error.kind() == ErrorKind::interrupted;
  record_.state = RunRecord::State::stopped;
  record_.reason = interrupted ? "interrupted" : error.message();
  record_.hint = interrupted ? "" : error.hint();
  record_.epoch = epochs;
  record_.seconds = seconds_before_ + seconds;
  record_.peak_mib = peak_mib();
  try {
    save_record(folder_, record_);
  } catch (const Error&) {  // the disk may be full, which is what stopped it
  }
}

double RunWriter::median_ms() const {
  if (seconds_.empty()) return 0;
  std::vector<double> sorted = seconds_;
  std::sort(sorted.begin(), sorted.end());
  return 1000 * sorted[sorted.size() / 2];
}

double RunWriter::peak_mib() const { return std::max(gs::peak_mib(), peak_before_); }

}  // namespace gs
