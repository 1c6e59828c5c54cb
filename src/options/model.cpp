#include "options/model.h"

#include "options/convolutions.h"

namespace gs {

void ModelOptions::describe(OptionList& v) {
  v.group("Model");
  v("mode", mode, "order of the augmentation heads and the encoder");
  v("aug-dim", aug_dim, "width D of the augmented features").at_least(1).tune_log(64, 512);
  v("dim", dim, "width K of an embedding; two views side by side have 2K").at_least(1);
  v("encoder", encoder, "graph convolution of the encoder").one_of(convolution_choices());
  v("layers", layers,
    "encoder layers; 0 chooses from the data: 2 if nodes have few or noisy features, otherwise 1")
      .at_least(0)
      .at_most(64)
      .tune(1, 4);
  v("head-layers", head_layers, "layers per augmentation head; 1 is linear")
      .at_least(1)
      .at_most(16);
  v("norm", norm, "normalization after each convolution");
  v("skip", skip, "skip connections between the layers");
  v("dropout", dropout, "dropout rate after heads and encoder layers")
      .at_least(0)
      .at_most(0.99)
      .tune(0, 0.85);
  v("combine", combine, "how the two views become one embedding");
  v("asymmetric", asymmetric,
    "prediction head on the left network and batch norm in the encoder (the paper's ablation)");
}

}  // namespace gs
