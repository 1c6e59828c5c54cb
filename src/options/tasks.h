// The evaluation tasks by name. A row holds all that the command line knows about a task; the class
// that it names is in eval/NAME.cpp.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/options.h"

namespace gs {

struct TaskInfo {
  std::string_view name, about;
  // The options that this task reads and others may not.
  std::vector<std::string_view> reads;
  // Whether scores of a run on its own data are kept in the run folder.
  bool kept = false;
};

template <class T>
struct TaskRow : TaskInfo {};

class Classification;
class Clustering;
class Links;

template <class Visit>
void for_each_task(Visit&& visit) {
  visit(TaskRow<Classification>{
      {.name = "classification",
       .about = "accuracy or ROC-AUC of a linear probe",
       .reads = {"encoders", "splits", "num-splits", "split-seed", "probe", "metric",
                 "probe-epochs", "probe-lr", "probe-every", "protocol", "predictions"},
       .kept = true}});
  visit(TaskRow<Clustering>{{.name = "clustering",
                             .about = "agreement of k-means clusters of unit rows with the labels",
                             .reads = {"repeats", "split-seed"}}});
  visit(TaskRow<Links>{{.name = "links",
                        .about = "ranking of edges that were held out from training",
                        .reads = {"encoders", "held-out"}}});
}

struct TaskOptions {
  std::string task = "classification";
  double held_out = 0.1;  // share of edges to predict (links)
  int64_t repeats = 10;   // number of clusterings
  int64_t encoders = 1;   // the run's own, and encoders - 1 trained like it with the next seeds

  void describe(OptionList& v);
  const TaskInfo& info() const;  // usage Error if there is no such task
  // Usage Error if the user set an option that only other tasks read: it would have no effect.
  void check(const std::set<std::string>& given) const;
};

const std::vector<TaskInfo>& tasks();

}  // namespace gs
