// The description of a run, kept in options.json and beside its weights: enough to build the model
// again without the data.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "dataset/dataset.h"
#include "options/run.h"

namespace gs {

struct Share;

// The version of the files in a run folder. Version 1 had option names before target-nodes and
// num-splits, and no version in the file. Versions 1 and 2 took edge lists as directed. All can be
// read.
inline constexpr int64_t kRunFormat = 3;

struct RunInfo {
  std::string data;      // as typed
  int64_t features = 0;  // F
  int64_t nodes = 0, edges = 0;
  Task task = Task::none;  // kind of labels, and number of classes
  int64_t classes = 0;
  RunOptions options;
  std::vector<std::string> by_data;  // names of the options that the data decided
  int64_t format = kRunFormat;       // of the file that it was read from

  static RunInfo of(const std::string& name, const Share& share, const RunOptions& options,
                    const std::vector<std::string>& by_data = {});
  bool same_data(const Dataset& other) const;
  bool same_data(const RunInfo& other) const;
};

// The content of options.json; the model's also has the treatment of the features
// (`options.load.fitted`), which may be long.
std::string to_json_text(const RunInfo& info, bool with_treatment = false);
// Data Error at `where` if the text is not a run's description, or is of a newer format.
RunInfo run_info_from_json(const std::string& text, const std::string& where);

// Options to load `data` for a run: those of its training, except for the options that the user set
// now (their names are in `given`) and for the catalog's folder. Features are treated as those that
// the run was trained on, unless the user asks for another treatment. Files that were named beside
// the training data belong to that data alone, and only training needed its labels and splits:
// where they are gone, they are left out.
LoadOptions load_like(const RunInfo& info, const std::string& data, const LoadOptions& now = {},
                      const std::set<std::string>& given = {});

}  // namespace gs
