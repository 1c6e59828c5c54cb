#include "nn/expected_shapes.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace gs {

namespace {

thread_local const ExpectedShapes* current = nullptr;
thread_local bool shapes_only = false;

// A tensor that the file does not have: small ones are left to the comparison of names.
constexpr int64_t kSmall = 1 << 20;

bool is_small(const int64_t* shape, size_t dimensions) {
  int64_t count = 1;
  for (size_t d = 0; d < dimensions; ++d)
    if (__builtin_mul_overflow(count, shape[d], &count)) return false;
  return count <= kSmall;
}

}  // namespace

ExpectedShapes::ExpectedShapes(Shapes shapes, std::string where)
    : shapes_(std::move(shapes)), where_(std::move(where)), before_(current) {
  current = this;
}

ExpectedShapes::~ExpectedShapes() { current = before_; }

ShapesOnly::ShapesOnly() : before_(std::exchange(shapes_only, true)) {}
ShapesOnly::~ShapesOnly() { shapes_only = before_; }
bool ShapesOnly::wanted() { return shapes_only; }

void ExpectedShapes::check(const std::string& name, const int64_t* shape, size_t dimensions) {
  if (!current) return;
  const auto found = current->shapes_.find(name);
  const bool same =
      found == current->shapes_.end()
          ? is_small(shape, dimensions)
          : std::equal(found->second.begin(), found->second.end(), shape, shape + dimensions);
  if (!same)
    fail_data(current->where_,
              fmt::format("tensor '{}' is missing or of another shape than its options say",
                          printable(name)),
              "the file is damaged or was edited; train again");
}

}  // namespace gs
