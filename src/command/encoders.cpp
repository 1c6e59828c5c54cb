#include "command/encoders.h"

#include <unistd.h>

#include "base/error.h"
#include "train/trainer.h"

namespace gs {

namespace {

namespace stdfs = std::filesystem;

// Prefixes everything that a training reports with the name of its encoder.
class NamedProgress final : public Progress {
 public:
  NamedProgress(Progress& inner, std::string name) : inner_(inner), name_(std::move(name)) {}
  void start(std::string_view task, int64_t total, std::string_view unit) override {
    inner_.start(fmt::format("{}, {}", name_, task), total, unit);
  }
  void advance(int64_t units) override { inner_.advance(units); }
  void note(std::string_view text) override { inner_.note(text); }
  void finish() override { inner_.finish(); }
  void say(std::string_view line) override { inner_.say(fmt::format("{}, {}", name_, line)); }

 private:
  Progress& inner_;
  std::string name_;
};

stdfs::path make_temporary_folder() {
  std::error_code error;
  const stdfs::path root = stdfs::temp_directory_path(error);
  std::string name = (error ? stdfs::path("/tmp") : root) / "graphsurgeon-encoders-XXXXXX";
  if (!mkdtemp(name.data()))
    fail_data(name, "cannot create a temporary folder here", "point TMPDIR at a writable folder");
  return name;
}

}  // namespace

EncoderTrainer::~EncoderTrainer() {
  std::error_code ignored;
  if (!folder_.empty()) stdfs::remove_all(folder_, ignored);
}

stdfs::path EncoderTrainer::train(const RunInfo& info, const Dataset& data, int64_t seed,
                                  int64_t split_seed) {
  if (folder_.empty()) folder_ = make_temporary_folder();
  TrainRequest request;
  request.data = info.data;
  request.run = folder_ / "run";
  request.options = info.options;
  request.options.train.seed = seed;
  request.options.train.checkpoint_every = 0;  // it is never resumed
  request.options.train.device = request_.device;
  request.overwrite = true;
  request.stop = request_.stop ? request_.stop() : nullptr;
  request.split_seed = split_seed;
  const std::string name =
      fmt::format("encoder {} of {}", seed - info.options.train.seed + 1, request_.task.encoders);
  NamedProgress progress(progress_, name);
  try {
    gs::train(data, request, progress);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::interrupted)
      throw Error(ErrorKind::interrupted, fmt::format("stopped while training {}", name),
                  request_.input,
                  "the run is unchanged; the next attempt trains the other encoders again");
    if (error.kind() == ErrorKind::data && error.where() == request.run.string())
      fail_data(request_.input, fmt::format("with seed {}: {}", seed, error.message()),
                "one of the other encoders failed to train; the run is unchanged");
    throw;
  }
  return request.run;
}

}  // namespace gs
