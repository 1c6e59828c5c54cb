// Graph attention (Velickovic et al. 2018), forward and backward. Row i of a head becomes
//   out_i = sum_j m_ij a_ij h_j,   a_ij = softmax_j(e_ij),
//   e_ij = leaky(z_ij),            z_ij = t_i + s_j,
// over the entries j of the row and the node itself, once: it is added where the row does not store
// it. m is attention dropout. Values of the matrix are not read.
//
// Nothing is stored for an entry. Since e has one of two slopes, all that backward needs of single
// entries comes out of sums over those with z > 0, taken on the way: with g the gradient of out,
//   P_i = sum_{z > 0} m a h_j,   S_i = sum_{z > 0} a,   d_i = <g_i, out_i>,
//   dt_i = (1 - slope) (<g_i, P_i> - d_i S_i),
//   dh_j = sum_i m a g_i,        R_j = sum_{i: z > 0} m a g_i,
//   ds_j = slope <h_j, dh_j> + (1 - slope) <h_j, R_j> - sum_i a leaky'(z) d_i.
// A row is summed by one thread, those with z > 0 first, each part in the order of the row: results
// do not depend on the number of threads. What dropout drops is not gathered.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "kernels/dropout.h"
#include "kernels/spmm.h"

namespace gs {

// How many rows of this width are worth a thread's while.
inline int64_t attention_row_grain(int64_t columns) {
  return std::max<int64_t>(1, 16384 / std::max<int64_t>(1, columns));
}

// Heads stand side by side: `heads` of them, `width` columns each. Two views are twice the heads.
struct Attention {
  SparseRows rows;                       // targets by sources; targets are the first sources
  int64_t first_row = 0;                 // the node of row 0: a block of rows may be passed
  int64_t heads = 1, width = 0;          // in all; columns of each
  float slope = 0.2f;                    // of leaky() below zero
  std::span<const DropoutRule> dropout;  // one per view, all of one probability; empty: none
  const float* messages = nullptr;       // h [sources, heads * width]
  const float* source_scores = nullptr;  // s [sources, heads]
  const float* target_scores = nullptr;  // t [rows, heads]

  int64_t columns() const { return heads * width; }
};

// What a softmax was made of, and S; in backward d takes the place of S.
struct AttentionRow {
  float target_score, largest, inverse_sum, positive;
};

// out [rows, heads * width]. For backward also P, of the same shape, and `kept` [rows, heads]; null
// otherwise.
void attention(const Attention& call, float* out, float* positive, AttentionRow* kept);

struct AttentionBackward {
  SparseRows transpose;  // sources by targets, of all targets
  const float *out = nullptr, *positive = nullptr;
  const AttentionRow* kept = nullptr;
  const float* gradient = nullptr;  // g [targets, heads * width]

  float* messages = nullptr;       // receives dh
  float* source_scores = nullptr;  // receives ds
  float* target_scores = nullptr;  // receives dt
};
void attention_backward(const Attention& call, const AttentionBackward& backward);

// s = <h, source> per head, and t = <h, target> of the first `targets` rows.
struct AttentionScores {
  int64_t rows = 0, targets = 0, heads = 1, width = 0;
  const float* messages = nullptr;                                 // [rows, heads * width]
  const float *source_vector = nullptr, *target_vector = nullptr;  // [heads * width]

  int64_t columns() const { return heads * width; }
};
void attention_scores(const AttentionScores& call, float* source_scores, float* target_scores);

// From ds and dt: adds to the messages' gradient, and writes the vectors'.
void attention_scores_backward(const AttentionScores& call, const float* source_scores,
                               const float* target_scores, float* messages, double* source_vector,
                               double* target_vector);

// mask[e * heads + h] = scale or 0, for the entry e that target targets[e] has of source
// sources[e]. A function of (key, target, source, head): whoever asks gets the same. Plain code,
// the twin of what attention() drops.
template <class T>
void attention_mask(const DropoutRule& rule, std::span<const int64_t> targets,
                    std::span<const int64_t> sources, int64_t heads, T* mask);

}  // namespace gs
