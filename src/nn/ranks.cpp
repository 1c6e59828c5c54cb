#include "nn/ranks.h"

#include <torch/csrc/autograd/custom_function.h>

namespace gs {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

class Alone final : public Ranks {
 public:
  int64_t rank() const override { return 0; }
  int64_t size() const override { return 1; }
  void reduce(double*, int64_t) const override {}
  void reduce(at::Tensor&) const override {}
  at::Tensor exchange(const at::Tensor& rows, const std::vector<int64_t>&,
                      const std::vector<int64_t>&) const override {
    return rows;
  }
  std::vector<std::string> gather(const std::string& bytes) const override { return {bytes}; }
  std::string broadcast(const std::string& bytes) const override { return bytes; }
};

struct Summed : torch::autograd::Function<Summed> {
  static Variable forward(AutogradContext*, const Variable& values, const Ranks* ranks) {
    const at::AutoDispatchBelowADInplaceOrView guard;
    Variable sum = values.clone(at::MemoryFormat::Contiguous);
    ranks->reduce(sum);
    return sum;
  }
  static variable_list backward(AutogradContext*, variable_list gradients) {
    return {gradients[0], Variable()};
  }
};

// The exit code of what `work` throws, as text; empty for nothing.
std::string status_of(const std::function<void()>& work, std::exception_ptr& thrown) {
  try {
    work();
    return "";
  } catch (const Error& error) {
    thrown = std::current_exception();
    return std::to_string(error.exit_code());
  } catch (...) {
    thrown = std::current_exception();
    return std::to_string(static_cast<int>(ErrorKind::internal));
  }
}

}  // namespace

std::vector<std::string> Ranks::exchange(const std::vector<std::string>& bytes) const {
  GS_ASSERT(std::ssize(bytes) == size());
  if (!several()) return bytes;
  // First the sizes, a number for each rank, then the bytes.
  const std::vector<int64_t> ones(bytes.size(), 1);
  std::vector<int64_t> sent, received;
  std::string all;
  for (const std::string& part : bytes) sent.push_back(std::ssize(part)), all += part;
  const at::Tensor sizes = exchange(at::tensor(sent, at::kLong), ones, ones);
  received.assign(sizes.const_data_ptr<int64_t>(), sizes.const_data_ptr<int64_t>() + size());
  const at::Tensor rows =
      exchange(at::from_blob(all.data(), {std::ssize(all)}, at::kByte), sent, received);
  std::vector<std::string> out;
  const auto* from = reinterpret_cast<const char*>(rows.const_data_ptr<uint8_t>());
  for (const int64_t count : received) {
    out.emplace_back(from, static_cast<size_t>(count));
    from += count;
  }
  return out;
}

void Ranks::together(const std::function<void()>& work) const {
  if (!several()) return work();
  std::exception_ptr thrown;
  const std::vector<std::string> all = gather(status_of(work, thrown));
  for (size_t r = 0; r < all.size(); ++r) {
    if (all[r].empty()) continue;
    if (static_cast<int64_t>(r) == rank()) std::rethrow_exception(thrown);
    throw Error(static_cast<ErrorKind>(std::stoi(all[r])), "");
  }
}

void Ranks::fail(const Error& error) const {
  if (first()) throw error;
  throw Error(error.kind(), "");
}

at::Tensor Ranks::summed(const at::Tensor& values) const {
  return several() ? Summed::apply(values, this) : values;
}

const Ranks& alone() {
  static const Alone one;
  return one;
}

}  // namespace gs
