// Included by the source of each method, which instantiates it for its own class:
//   template MethodMaker method_maker<Dgi>();
#pragma once

#include "method/method.h"

namespace gs {

template <class M>
MethodMaker method_maker() {
  return {[](const MethodSetting& setting) -> std::unique_ptr<Method> {
            return std::make_unique<M>(setting);
          },
          M::step_cost};
}

}  // namespace gs
