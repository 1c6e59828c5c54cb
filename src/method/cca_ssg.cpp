#include "method/cca_ssg.h"

#include "method/maker.h"
#include "objective/decorrelation.h"

namespace gs {

CcaSsg::CcaSsg(const MethodSetting& setting)
    : TwoViewMethod(setting, encoder_shape(setting, Activation::relu, false)) {}

Loss CcaSsg::loss(const Batch& batch, const ViewPair& views, const Step& step) {
  return decorrelation_loss(encode(encoder_, batch, views, 0, step),
                            encode(encoder_, batch, views, 1, step), options_.decorrelation,
                            batch.weights);
}

template MethodMaker method_maker<CcaSsg>();

}  // namespace gs
