#include "command/session.h"

#include <ATen/Parallel.h>
#include <c10/util/Exception.h>

#include "base/parallel.h"
#include "command/tensor_memory.h"

namespace gs {

namespace {

struct Silence final : c10::WarningHandler {
  void process(const c10::Warning&) override {}
};

}  // namespace

struct Session::State {
  explicit State(int threads) : scope(threads), quiet(&silence) {}

  ThreadScope scope;
  int torch_threads = at::get_num_threads();
  Silence silence;
  c10::WarningUtils::WarningHandlerGuard quiet;
  RecycledTensorMemory memory;
};

Session::Session(int threads) : state_(std::make_unique<State>(threads)) {
  at::set_num_threads(gs::threads());
}

Session::~Session() { at::set_num_threads(state_->torch_threads); }

}  // namespace gs
