// The spectral method: solved, not trained. For every graph filter f, the leading singular
// directions W of the filtered features G = T(f(A) X); the parts (G - mean) W stand side by side.
//
// For linear heads the objective of GraphSurgeon has this solution: in expectation over dropout of
// rate p, drawn per view between H and the heads, and with the constraint exact, it is the
// eigenproblem H'H w = rho (H'H + c D) w with D = diag(H'H) and c = p / (1 - p). Its directions are
// the right singular vectors of H D^-1/2 whatever p is, rho = s^2 / (s^2 + c), and the embedding is
// U rho^(a + 1/2). One solve serves every p and a, which only weigh the columns.
#pragma once

#include "method/method.h"
#include "nn/diffusion.h"

namespace gs {

class Spectral final : public Method {
 public:
  explicit Spectral(const MethodSetting& setting);

  at::Tensor solve(const Batch& whole, const InferenceOptions& options,
                   Progress& progress) override;
  Loss loss(const Batch& batch, const Step& step) override;  // never called
  at::Tensor embed(const Batch& whole, const InferenceOptions& options = {},
                   Progress& progress = no_progress()) const override;
  at::Tensor embed_rows(const Batch& whole, const at::Tensor& nodes,
                        const InferenceOptions& options = {},
                        Progress& progress = no_progress()) const override;
  at::Tensor output(const Batch& batch) const override { return embed(batch); }
  std::optional<int64_t> hops() const override;
  static StepCost step_cost(const RunOptions& options);

  // The directions of every filter's part, F x K_f, with the weights of the columns. The embedding
  // has the parts' columns in this order, then the magnitudes.
  std::vector<at::Tensor> directions() const;

 private:
  struct Part {
    at::Tensor directions;  // F x K_f, with the weights of the columns
    at::Tensor offset;      // K_f: the mean row's embedding
  };
  // Filtered features of some rows, kept to be solved.
  struct Kept;

  // Whether the directions come from products with A and X alone, without forming f(A) X.
  bool unformed() const;
  Kept keep(const FilteredFeatures& features, const InferenceOptions& options,
            Progress& progress) const;
  // The part of a filter from its matrix, the mean of all rows and the squared lengths of the
  // centered columns (undefined: unknown).
  void solve_part(size_t f, const TallMatrix& matrix, const at::Tensor& mean,
                  const at::Tensor& squares);
  void solve_magnitudes(const at::Tensor& magnitudes);
  at::Tensor output_matrix(int64_t rows, const InferenceOptions& options) const;
  // Adds the embeddings by some columns of the filtered features.
  void add_columns(at::Tensor& out, int64_t begin, std::span<const at::Tensor> blocks) const;
  // The parts of sparse matrices, the offsets and the magnitudes.
  void complete(at::Tensor& out, const FilteredFeatures& features) const;
  at::Tensor magnitude_columns(const at::Tensor& magnitudes) const;
  bool has_magnitudes() const { return options_.magnitudes > 0; }

  SpectralOptions options_;
  std::vector<GraphFilter> filters_;
  std::vector<Part> parts_;
  // Of the columns that hold magnitudes: the mean of each, then mean and scale of its logarithm.
  at::Tensor magnitude_unit_, magnitude_mean_, magnitude_scale_;
  Random random_;
};

}  // namespace gs
