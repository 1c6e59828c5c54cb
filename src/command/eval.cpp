#include "command/eval.h"

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "command/encoders.h"
#include "command/session.h"
#include "run/card.h"

namespace gs {

namespace {

void keep_scores(const EvalRequest& request, const TaskResult& result, Progress& progress) {
  const RunFolder folder(request.input);
  if (!folder.exists()) return;
  try {
    const RunInfo info = load_info(folder);
    if (info.data != request.data) return;
    folder.write(
        folder.scores(),
        result.to_json().dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
    write_card(folder);
  } catch (const Error& error) {
    progress.say(fmt::format("note: scores.json was not written: {}", error.what()));
  }
}

}  // namespace

EvalResult run(const EvalRequest& request, Progress& progress) {
  request.task.check(request.given);
  if (!request.predictions.empty()) check_output(request.predictions, request.overwrite);
  const Session session(request.threads);
  EncoderTrainer trainer(request, progress);
  EvalResult out{
      find_task(request.task.task)
          ->run(request, progress,
                [&](const RunInfo& info, const Dataset& data, int64_t seed, int64_t split_seed) {
                  return trainer.train(info, data, seed, split_seed);
                })};
  progress.finish();
  if (request.keep && request.task.info().kept) keep_scores(request, *out.task, progress);
  return out;
}

nlohmann::json to_json(const EvalResult& result) { return result.task->to_json(); }

std::string to_text(const EvalResult& result) { return result.task->to_text(); }

}  // namespace gs
