#include "loader/loader.h"

#include <time.h>

#include "base/error.h"
#include "dataset/gather.h"
#include "loader/table.h"

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
  sample.features = gather(data_.features, sample.nodes);
  sample.sample_seconds = drawn - start;
  sample.gather_seconds = thread_seconds() - drawn;
  return sample;
}

std::span<const Named<MakeLoader>> loaders() {
  static constexpr Named<MakeLoader> kTable[] = {
      {"neighbor", make_neighbor, "some seeds and a sample of their neighbourhoods"},
      {"cluster", make_cluster, "some parts of a partition with few edges between parts"},
      {"saint", make_saint, "random subgraphs, with weights that make up for the choice"},
  };
  return kTable;
}

std::unique_ptr<Loader> make_loader(const Dataset& data, const LoaderOptions& options,
                                    const LoaderContext& context) {
  GS_ASSERT(options.loader != LoaderKind::full && options.loader != LoaderKind::automatic);
  if (data.nodes() == 0) fail_data(data.name, "there are no nodes to make batches of");
  const auto name = name_of(names_of(options.loader), options.loader);
  return find(loaders(), name, "loader").value(data, options, context);
}

}  // namespace gs
