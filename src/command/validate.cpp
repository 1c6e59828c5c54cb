#include "command/validate.h"

#include "command/session.h"
#include "dataset/splits.h"
#include "eval/probe.h"
#include "nn/tensor.h"
#include "objective/spectrum.h"
#include "run/fingerprint.h"

namespace gs {

namespace {

at::Tensor tensor_of(const DenseMatrix& z) { return view_of(z.values, {z.rows, z.columns}); }

}  // namespace

std::vector<double> validation_of(const DenseMatrix& z, const Dataset& data,
                                  const RunOptions& options, int threads) {
  check_unchanged(data);
  const Session session(threads);
  const auto seed = static_cast<uint64_t>(options.train.seed);
  ProbeOptions probe{.probe = Probe::paper};
  probe.probe_epochs = probe_epochs(options.protocol, data.name);
  const auto splits = make_splits(data, options.train.splits, options.train.num_splits, seed);
  return validation_scores(tensor_of(z), data.labels, splits, probe, seed);
}

double effective_rank_of(const DenseMatrix& z, int threads) {
  const Session session(threads);
  return effective_rank(tensor_of(z));
}

}  // namespace gs
