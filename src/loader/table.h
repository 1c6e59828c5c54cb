// The makers behind loaders(): one a file.
#pragma once

#include <memory>

#include "loader/loader.h"

namespace gs {

std::unique_ptr<Loader> make_neighbor(const Dataset& data, const LoaderOptions& options,
                                      const LoaderContext& context);

std::unique_ptr<Loader> make_cluster(const Dataset& data, const LoaderOptions& options,
                                     const LoaderContext& context);

std::unique_ptr<Loader> make_saint(const Dataset& data, const LoaderOptions& options,
                                   const LoaderContext& context);

}  // namespace gs
