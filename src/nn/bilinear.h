// A bilinear score h' W s of each row h against one vector s, as DGI's discriminator has it.
#pragma once

#include <string>

#include "nn/parameters.h"

namespace gs {

class Bilinear {
 public:
  Bilinear(Parameters& store, const std::string& name, int64_t width);
  at::Tensor operator()(const at::Tensor& rows, const at::Tensor& vector) const {
    return at::mv(rows, at::mv(weight_, vector));
  }

 private:
  at::Tensor weight_;  // [K, K]
};

}  // namespace gs
