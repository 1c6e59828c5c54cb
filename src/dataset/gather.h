// Gathers rows of a feature matrix, sparse or dense as the matrix is. The source may be a mapped
// file.
#pragma once

#include <cstdint>
#include <span>

#include "dataset/dataset.h"

namespace gs {

// Row i of the result is row rows[i] of `features`; rows may repeat. Works in the calling
// thread. Features without columns give a matrix without columns.
Features gather(const Features& features, std::span<const int32_t> rows);

// values[nodes[i]] for each i; empty where `values` is empty.
Array<float> gather(const Array<float>& values, std::span<const int32_t> nodes);

}  // namespace gs
