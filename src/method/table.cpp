#include <optional>

#include "base/error.h"
#include "method/method.h"
#include "options/method_rows.h"

namespace gs {

StepCost Method::step_cost(const RunOptions& options) {
  const auto k = static_cast<double>(options.model.dim);
  const double hidden = options.method.hidden > 0 ? static_cast<double>(options.method.hidden) : k;
  const bool classifies = method_info(options.method.method).supervised();
  const auto layers = static_cast<double>(options.model.layers);
  return {.floats_per_node = 8 * (layers * hidden + (classifies ? 0 : 2 * k))};
}

MethodMaker method_maker(std::string_view name) {
  std::optional<MethodMaker> found;
  for_each_method([&]<class M>(const MethodRow<M>& row) {
    if (row.name == name) found = method_maker<M>();
  });
  if (!found) method_info(name);  // Usage Error for an unknown name
  return *found;
}

std::unique_ptr<Method> make_method(const MethodSetting& setting) {
  return method_maker(setting.options.method.method).make(setting);
}

}  // namespace gs
