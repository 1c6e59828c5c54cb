// Options of the model: its encoder, its heads and their order.
#pragma once

#include "base/options.h"

namespace gs {

enum class AugmentMode { pre, post };
inline constexpr Named<AugmentMode> kAugmentModes[] = {
    {"pre", AugmentMode::pre, "augment the features, then encode both views"},
    {"post", AugmentMode::post, "encode once, then augment the encoding"}};
constexpr std::span<const Named<AugmentMode>> names_of(AugmentMode) { return kAugmentModes; }

enum class Combine { concat, mean, sum, first };
inline constexpr Named<Combine> kCombines[] = {{"concat", Combine::concat, "both side by side"},
                                               {"mean", Combine::mean, "their mean"},
                                               {"sum", Combine::sum, "their sum"},
                                               {"first", Combine::first, "only the first view"}};
constexpr std::span<const Named<Combine>> names_of(Combine) { return kCombines; }

enum class NormKind { none, batch, layer };
inline constexpr Named<NormKind> kNormKinds[] = {{"none", NormKind::none, "no normalization"},
                                                 {"batch", NormKind::batch, "batch normalization"},
                                                 {"layer", NormKind::layer, "layer normalization"}};
constexpr std::span<const Named<NormKind>> names_of(NormKind) { return kNormKinds; }

enum class Skip { automatic, sum, linear, none };
inline constexpr Named<Skip> kSkips[] = {
    {"auto", Skip::automatic,
     "linear if the features of neighbors are no more alike than those of random pairs, "
     "otherwise sum"},
    {"sum", Skip::sum, "sum of the outputs of all layers"},
    {"linear", Skip::linear, "a learned linear map around each layer"},
    {"none", Skip::none, "no skip connection"}};
constexpr std::span<const Named<Skip>> names_of(Skip) { return kSkips; }

struct ModelOptions {
  AugmentMode mode = AugmentMode::post;
  int64_t aug_dim = 512;        // D
  int64_t dim = 256;            // K
  std::string encoder = "gcn";  // a name of options/convolutions.h
  int64_t layers = 0;           // 0: chosen from the data
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
