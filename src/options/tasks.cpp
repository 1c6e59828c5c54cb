#include "options/tasks.h"

#include <algorithm>

namespace gs {

namespace {

bool reads(const TaskInfo& task, std::string_view option) {
  return std::find(task.reads.begin(), task.reads.end(), option) != task.reads.end();
}

}  // namespace

const std::vector<TaskInfo>& tasks() {
  static const std::vector<TaskInfo> all = [] {
    std::vector<TaskInfo> rows;
    for_each_task([&](const TaskInfo& row) { rows.push_back(row); });
    return rows;
  }();
  return all;
}

void TaskOptions::describe(OptionList& v) {
  std::vector<Choice> choices;
  for (const TaskInfo& row : tasks())
    choices.push_back({std::string(row.name), std::string(row.about)});
  v.group("Task");
  v("task", task, "evaluation task").one_of(std::move(choices));
  v("held-out", held_out, "share of edges held out from training (links)")
      .at_least(0.0001)
      .at_most(0.9);
  v("repeats", repeats, "number of clusterings, each with its own seed (clustering)")
      .at_least(1)
      .at_most(1000)
      .renamed("runs");
  v("encoders", encoders,
    "number of encoders to score: the run's own and others trained like it with the next seeds; "
    "shows how much a score depends on the initial weights (classification, links)")
      .at_least(1)
      .at_most(1000)
      .renamed("seeds");
}

const TaskInfo& TaskOptions::info() const {
  std::vector<std::string> known;
  for (const TaskInfo& row : tasks()) {
    if (row.name == task) return row;
    known.emplace_back(row.name);
  }
  fail_unknown("task", task, known, "--task");
}

void TaskOptions::check(const std::set<std::string>& given) const {
  const TaskInfo& chosen = info();
  for (const std::string& option : given) {
    const bool another = std::any_of(tasks().begin(), tasks().end(),
                                     [&](const TaskInfo& row) { return reads(row, option); });
    if (another && !reads(chosen, option))
      fail_usage("--" + option, fmt::format("--task {} does not read it", task),
                 "leave it out, or choose another --task");
  }
}

}  // namespace gs
