// Included by the source of each loader, which instantiates it for its own class:
//   template LoaderMaker loader_maker<ClusterLoader>();
#pragma once

#include "loader/loader.h"
#include "options/loaders.h"

namespace gs {

// `L` has a constructor with make's arguments and the static members cost() and hint().
template <class L>
LoaderMaker loader_maker() {
  return {[](const Dataset& data, const LoaderOptions& options, const LoaderContext& context)
              -> std::unique_ptr<Loader> { return std::make_unique<L>(data, options, context); },
          L::cost, L::hint};
}

}  // namespace gs
