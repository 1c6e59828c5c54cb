#include "method/cca_ssg.h"

#include "objective/decorrelation.h"

namespace gs {

CcaSsg::CcaSsg(const MethodSetting& setting)
    : EncoderMethod(setting, encoder_shape(setting, Activation::relu, false)),
      options_(setting.options.method) {}

Loss CcaSsg::loss(const Batch& batch, const Step& step) {
  at::Tensor views[2];
  for (const int view : {0, 1}) {
    const Random random = step.random.fork("view", view);
    const ViewNoise noise{view == 0 ? options_.edge_drop : options_.edge_drop_2,
                          view == 0 ? options_.feature_mask : options_.feature_mask_2};
    views[view] = encode(batch, augmented(batch, convolution(), noise, random, parameters_.place()),
                         {true, 0, random, 1});
  }
  return decorrelation_loss(views[0], views[1], options_.decorrelation, batch.weights);
}

}  // namespace gs
