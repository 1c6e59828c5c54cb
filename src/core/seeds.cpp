#include "core/seeds.h"

#include <unistd.h>

#include "train/trainer.h"

namespace gs {

namespace {

namespace stdfs = std::filesystem;

// Says of which encoder a task is.
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
  std::string name = (error ? stdfs::path("/tmp") : root) / "graphsurgeon-seeds-XXXXXX";
  if (!mkdtemp(name.data()))
    fail_data(name, "no temporary folder can be made here", "point TMPDIR at a writable folder");
  return name;
}

}  // namespace

SeedTrainer::~SeedTrainer() {
  std::error_code ignored;
  if (!folder_.empty()) stdfs::remove_all(folder_, ignored);
}

const Dataset& SeedTrainer::training_data(const RunInfo& info, const Dataset* scored) {
  if (!scored && !own_) {
    LoadOptions load = info.options.load;
    if (!call_.load.data_root.empty()) load.data_root = call_.load.data_root;
    try {
      own_ = load_dataset(info.data, load, progress_);
    } catch (const Error& error) {
      fail_data(
          error.where(), error.message(),
          fmt::format("--seeds trains on what the run was trained on, '{}'; run it where that "
                      "can be read",
                      printable(info.data)));
    }
  }
  const Dataset& data = scored ? *scored : *own_;
  if (data.nodes() != info.nodes || data.graph.edges() != info.edges ||
      data.features.width() != info.features)
    fail_data(info.data, "is not what it was when the run was trained on it",
              "--seeds needs the run's own data; train anew");
  return data;
}

stdfs::path SeedTrainer::train(const RunInfo& info, const Dataset* scored, int64_t seed,
                               int64_t split_seed) {
  return train_on(info, training_data(info, scored), seed, split_seed);
}

stdfs::path SeedTrainer::train_on(const RunInfo& info, const Dataset& data, int64_t seed,
                                  int64_t split_seed) {
  if (folder_.empty()) folder_ = make_temporary_folder();
  TrainCall call;
  call.data = info.data;
  call.run = folder_ / "run";
  call.options = info.options;
  call.options.train.seed = seed;
  call.options.train.checkpoint_every = 0;  // nobody will resume it
  call.options.train.device = call_.device;
  call.overwrite = true;
  call.stop = call_.stop;
  call.split_seed = split_seed;
  const int64_t number = seed - info.options.train.seed + 1;
  NamedProgress progress(progress_, fmt::format("encoder {} of {}", number, call_.seeds));
  try {
    gs::train(data, call, progress);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::interrupted)
      throw Error(ErrorKind::interrupted,
                  fmt::format("stopped while training encoder {} of {}", number, call_.seeds),
                  call_.input, "the run is as it was; the other encoders would be trained anew");
    if (error.kind() == ErrorKind::data && error.where() == call.run.string())
      fail_data(call_.input, fmt::format("with seed {}: {}", seed, error.message()),
                "one of the encoders fails to train; the run's own is as it was");
    throw;
  }
  return call.run;
}

}  // namespace gs
