// The Laplacian-Eigenmaps loss of the paper (Eq. 4 and its improved form) on two views Z1, Z2 of N
// rows and K columns:
//   w * mean_i |z1_i - z2_i|^2  +  gamma * (c(Z1) + c(Z2)),     rows normalized to unit length.
// Rows shorter than 1e-12 count as zero and get no gradient. c is one of the forms of Constraint;
// `rows` comes exactly from the K x K matrix G = Z'Z, since |ZZ' - I|^2 = |G|^2 - 2 tr G + N.
#pragma once

#include "nn/ranks.h"
#include "objective/loss.h"
#include "options/loss.h"

namespace gs {

// Rows may have weights w_i, so that a sample represents the whole graph: the mean above is then
// that of w_i |z1_i - z2_i|^2, and G = Z' diag(w) Z.

// Where the other rows of the views are: on other ranks, `rows` in all (-1: those here). Every rank
// gets the loss of all rows, and the gradient of its own. No N x N matrix is made then.
struct LossRows {
  const Ranks& ranks = alone();
  int64_t rows = -1;
};

// Plain libtorch operations.
Loss eigenmaps_loss(const at::Tensor& z1, const at::Tensor& z2, const LossOptions& options,
                    const at::Tensor& weights = {}, const LossRows& all = {});

// Both views side by side, [N, 2K]. With `native`, our kernel (kernels/eigenmaps.h) computes the
// loss of rows without weights.
Loss eigenmaps_loss(const at::Tensor& both, const LossOptions& options, bool native,
                    const at::Tensor& weights = {}, const LossRows& all = {});

at::Tensor unit_rows(const at::Tensor& z);

}  // namespace gs
