#include "loader/loader.h"

#include <time.h>

#include <optional>

#include "base/error.h"
#include "dataset/gather.h"
#include "options/loaders.h"

namespace gs {

namespace {

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

Sample Loader::sample(int64_t epoch, int64_t index, LoaderWorkspace& workspace) const {
  GS_ASSERT(index >= 0 && index < batches());
  const double start = thread_seconds();
  Sample sample = draw(epoch, index, workspace);
  const double drawn = thread_seconds();
  if (sample.features.rows() == 0) sample.features = gather(data_.features, sample.nodes);
  sample.sample_seconds = drawn - start;
  sample.gather_seconds = thread_seconds() - drawn;
  return sample;
}

LoaderMaker loader_maker(std::string_view name) {
  std::optional<LoaderMaker> found;
  for_each_loader([&]<class L>(const LoaderRow<L>& row) {
    if (row.name == name) found = loader_maker<L>();
  });
  GS_ASSERT(found.has_value());
  return *found;
}

std::unique_ptr<Loader> make_loader(const Dataset& data, const LoaderOptions& options,
                                    const LoaderContext& context) {
  if (data.nodes() == 0) fail_data(data.name, "has no nodes to make batches of");
  return loader_maker(options.loader).make(data, options, context);
}

}  // namespace gs
