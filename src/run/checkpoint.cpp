#include "run/checkpoint.h"

#include <ATen/core/grad_mode.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "base/json.h"
#include "base/safetensors.h"
#include "base/text.h"
#include "options/methods.h"

namespace gs {

namespace {

constexpr int64_t kMostCounted = int64_t{1} << 53;  // products of counts stay in range

// Whether a resumed run may change this option.
bool may_change(const std::string& option, bool supervised) {
  static const std::set<std::string> kFree{"checkpoint-every", "workers", "prefetch", "memory"};
  // Finished splits had the number of epochs that the run began with.
  return kFree.contains(option) || (option == "epochs" && !supervised);
}

// As checkpoints hold it: a path may be in any encoding, JSON may not.
std::string stored(const Option& option) {
  return option.json().dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void check_same_run(const RunInfo& before, const RunInfo& now, const std::string& where) {
  if (!before.same_data(now))
    fail_data(where, "was trained on other data", "resume with the dataset it began with");
  RunOptions then = before.options, today = now.options;
  const bool supervised = method_info(today.method.method).supervised();
  const OptionList old_options = describe(then), new_options = describe(today);
  for (const Option& option : new_options.options()) {
    const Option* old_option = old_options.find_option(option.name);
    if (may_change(option.name, supervised) || stored(option) == stored(*old_option)) continue;
    fail_usage(
        option.flag(),
        fmt::format("is {} now and was {} when the run began", stored(option), stored(*old_option)),
        option.name == "epochs" ? "a supervised method keeps its epochs on --resume"
                                : "only --epochs may change on --resume");
  }
}

[[noreturn]] void fail_damaged(const std::string& where, const std::string& why) {
  fail_data(where, fmt::format("is not a checkpoint of this program: {}", why),
            "pass --overwrite to start again");
}

nlohmann::json to_json(const EpochSums& s) {
  return {{"loss", s.loss},       {"gradient_norm", s.gradient_norm},
          {"seconds", s.seconds}, {"sample", s.sample},
          {"gather", s.gather},   {"wait", s.wait},
          {"steps", s.steps},     {"terms", s.terms}};
}

EpochSums sums_from_json(const nlohmann::json& json) {
  EpochSums s;
  s.loss = json.at("loss"), s.gradient_norm = json.at("gradient_norm");
  s.seconds = json.at("seconds");
  s.sample = json.at("sample"), s.gather = json.at("gather"), s.wait = json.at("wait");
  s.steps = json.at("steps");
  s.terms = json.at("terms").get<std::map<std::string, double>>();
  return s;
}

std::string to_json_text(const TrainState& state, int64_t steps) {
  const Position& position = state.position;
  return nlohmann::json{{"split", position.split},
                        {"epoch", position.epoch},
                        {"batch", position.batch},
                        {"sums", to_json(position.sums)},
                        {"loader", state.loader},
                        {"adam_steps", steps},
                        {"best", state.kept.scores},
                        {"rank", state.rank},
                        {"metrics_bytes", state.metrics_bytes},
                        {"targets", state.targets},
                        {"data", state.data}}
      .dump();
}

TrainState state_from_json(const std::string& text, const std::string& where, int64_t& steps) {
  TrainState state;
  try {
    const auto json = parse_json(text);
    Position& position = state.position;
    position.split = json.at("split");
    position.epoch = json.at("epoch");
    position.batch = json.at("batch");
    position.sums = sums_from_json(json.at("sums"));
    state.loader = loader_info(json.at("loader").get<std::string>()).name;
    state.kept.scores = json.at("best").get<std::vector<double>>();
    state.metrics_bytes = json.at("metrics_bytes");
    state.rank = json.at("rank");
    state.targets = json.value("targets", json.value("seeds", ""));  // its name in format 1
    state.data = json.value("data", "");  // not in checkpoints of earlier versions
    steps = json.at("adam_steps");
  } catch (const nlohmann::json::exception& error) {
    fail_damaged(where, printable(error.what(), 120));
  }
  for (const auto& [name, value] : {std::pair{"split", state.position.split},
                                    {"epoch", state.position.epoch},
                                    {"batch", state.position.batch},
                                    {"steps", state.position.sums.steps},
                                    {"metrics_bytes", state.metrics_bytes},
                                    {"adam_steps", steps}})
    if (value < 0 || value > kMostCounted)
      fail_damaged(where, fmt::format("\"{}\" is {}", name, value));
  return state;
}

// A checkpoint says how long metrics.jsonl is: after a power loss, what it counts must be there.
void sync_metrics(const RunFolder& run) {
  const int file = ::open(run.metrics().c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return;  // the user may have removed it
  const bool synced = ::fsync(file) == 0 || errno == EINVAL;
  ::close(file);
  if (!synced) fail_data(run.metrics().string(), "cannot be written to the disk", "check the disk");
}

std::string kept_name(size_t split, const std::string& name) {
  return fmt::format("kept.{}.{}", split, name);
}

}  // namespace

std::string loader_of_checkpoint(const RunFolder& run) {
  const std::string where = run.state().string();
  int64_t steps = 0;
  SafeTensors file = load_safetensors(where);
  return state_from_json(file.metadata["state"], where, steps).loader;
}

void save_checkpoint(const RunFolder& run, const RunInfo& info, const Parameters& parameters,
                     const OptimizerState& optimizer, const TrainState& state) {
  sync_metrics(run);
  TensorMap tensors;
  for (const auto& [name, tensor] : parameters.all()) tensors["model." + name] = tensor;
  for (const auto& [name, tensor] : optimizer.tensors) tensors["adam." + name] = tensor;
  for (size_t s = 0; s < state.kept.weights.size(); ++s)
    for (const auto& [name, tensor] : state.kept.weights[s]) tensors[kept_name(s, name)] = tensor;
  save_tensors(
      run.state(), tensors,
      {{"graphsurgeon", to_json_text(info)}, {"state", to_json_text(state, optimizer.steps)}});
}

TrainState load_checkpoint(const RunFolder& run, const RunInfo& now, size_t splits,
                           Parameters& parameters, OptimizerState& optimizer) {
  const std::string where = run.state().string();
  std::map<std::string, std::string> metadata;
  const TensorMap tensors = load_tensors(where, &metadata);
  check_same_run(run_info_from_json(metadata["graphsurgeon"], where), now, where);
  TrainState state = state_from_json(metadata["state"], where, optimizer.steps);
  if (state.kept.scores.size() != splits)
    fail_data(where,
              fmt::format("was selected on {} splits; there are {} now", state.kept.scores.size(),
                          splits),
              "resume with the dataset it began with");
  const Position& position = state.position;
  if (now.options.train.epochs < position.epoch + (position.batch > 0 ? 1 : 0))
    fail_usage("--epochs",
               fmt::format("is {}, but the run is at epoch {} already", now.options.train.epochs,
                           position.epoch),
               "pass a larger number");
  assign(parameters, tensors, "model.", where);
  const at::NoGradGuard no_gradient;
  for (auto& [name, tensor] : optimizer.tensors) {
    const auto found = tensors.find("adam." + name);
    if (found == tensors.end() || found->second.sizes() != tensor.sizes())
      fail_damaged(where, fmt::format("the optimizer's '{}' is missing or of another shape", name));
    tensor.copy_(found->second);
  }
  state.kept.weights.resize(splits);
  for (size_t s = 0; s < splits; ++s)
    for (const auto& [name, tensor] : parameters.all())
      if (const auto found = tensors.find(kept_name(s, name)); found != tensors.end())
        state.kept.weights[s][name] = found->second.clone();
  return state;
}

}  // namespace gs
