// How a convolution's file puts itself into the table:
//   template std::unique_ptr<const Conv> make_conv<GcnConv>(const ConvSetting&);
#pragma once

#include "nn/conv/conv.h"
#include "options/convolutions.h"

namespace gs {

template <class C>
std::unique_ptr<const Conv> make_conv(const ConvSetting& setting) {
  return std::make_unique<const C>(setting);
}

}  // namespace gs
