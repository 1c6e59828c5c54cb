// The shape of a model: which encoder, which heads, in which order. Torch-free, like every options
// struct.
#pragma once

#include "base/options.h"

namespace gs {

enum class AugmentMode { pre, post };  // heads before the encoder, or behind it
enum class Combine { concat, mean, sum, first };
enum class Convolution { gcn, sage, gat };
enum class NormKind { none, batch, layer };
enum class Skip { automatic, sum, linear, none };
std::span<const Named<AugmentMode>> names_of(AugmentMode);
std::span<const Named<Combine>> names_of(Combine);
std::span<const Named<Convolution>> names_of(Convolution);
std::span<const Named<NormKind>> names_of(NormKind);
std::span<const Named<Skip>> names_of(Skip);

struct ModelOptions {
  AugmentMode mode = AugmentMode::post;
  int64_t aug_dim = 512;  // D
  int64_t dim = 256;      // K
  Convolution encoder = Convolution::gcn;
  int64_t layers = 0;  // 0: by the data
  int64_t head_layers = 1;
  NormKind norm = NormKind::none;
  Skip skip = Skip::automatic;
  double dropout = 0.5;
  Combine combine = Combine::concat;
  bool asymmetric = false;

  void describe(OptionList& v);
  int64_t embedding_width() const { return combine == Combine::concat ? 2 * dim : dim; }
};

}  // namespace gs
