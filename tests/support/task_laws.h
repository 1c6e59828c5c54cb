// What holds for every evaluation task.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "command/eval.h"

namespace gs::test {

// A task that is given an option of another task refuses it before it reads anything.
inline void expect_options_of_others_refused(const TaskInfo& task) {
  TaskOptions options;
  options.task = task.name;
  for (const TaskInfo& other : tasks())
    for (const std::string_view option : other.reads) {
      const std::set<std::string> given{std::string(option)};
      if (std::find(task.reads.begin(), task.reads.end(), option) != task.reads.end()) {
        EXPECT_NO_THROW(options.check(given)) << option;
        continue;
      }
      try {
        options.check(given);
        ADD_FAILURE() << task.name << " accepts --" << option;
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::usage);
        EXPECT_EQ(error.where(), "--" + std::string(option));
      }
    }
}

// `request`: of a run that learned without labels, on the data that it was trained on.
inline void check_task_laws(const TaskInfo& task, EvalRequest request) {
  SCOPED_TRACE(task.name);
  expect_options_of_others_refused(task);
  request.task.task = task.name;
  const EvalResult result = run(request), again = run(request);
  const nlohmann::json json = to_json(result);
  EXPECT_TRUE(json.at("metric").is_string());
  const auto values = json.at("values").get<std::vector<double>>();
  ASSERT_FALSE(values.empty());
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  EXPECT_GE(json.at("mean").get<double>(), *least - 1e-9);
  EXPECT_LE(json.at("mean").get<double>(), *most + 1e-9);
  EXPECT_GE(json.at("std").get<double>(), 0);
  EXPECT_EQ(to_json(again), json) << "a second evaluation";
  EXPECT_THAT(to_text(result), testing::EndsWith("\n"));
  request.input = "no/such/run";
  EXPECT_THROW(run(request), Error);
}

}  // namespace gs::test
