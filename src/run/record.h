// run.json: what a run was made from, on which machine, and how far it came. `show` prints it, and
// the model card (run/card.h) is written from it; nothing is computed from it. Runs of versions
// that wrote none have an empty record. No libtorch in this header.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "dataset/dataset.h"
#include "options/run.h"
#include "run/folder.h"
#include "run/info.h"

namespace gs {

struct RunRecord {
  enum class State {
    unknown,   // there is no record
    training,  // at work, or killed
    stopped,   // by the user or by an error
    finished
  };
  State state = State::unknown;
  std::string reason, hint;  // of a run that stopped
  int64_t epoch = 0;         // epochs that are done

  std::string path;       // of the data, absolute; empty if it was generated or in memory
  std::string content;    // fingerprint of the data
  std::string treatment;  // what loading did to it: "symmetrized, features binarized"
  bool undirected = false, labeled = false;

  std::string version, libtorch, cpu;
  int threads = 0;
  std::string date;               // of its beginning, UTC
  double seconds = 0;             // of all trainings that continued it
  double peak_mib = 0;            // largest resident size
  int64_t rows = 0, columns = 0;  // of the embeddings
  double effective_rank = 0;      // of the embeddings

  // Of a training that begins now on this machine, with this thread's number of threads.
  static RunRecord of(const std::string& name, const Dataset& data, const LoadOptions& load,
                      const std::string& fingerprint);
};

// Data Error if the file is there and is none of ours.
RunRecord load_record(const RunFolder& folder);
void save_record(const RunFolder& folder, const RunRecord& record);
nlohmann::json to_json(const RunRecord& record);

// The description in options.json; data Error if there is none.
RunInfo load_info(const RunFolder& folder);
// The options that are neither the method's defaults nor decided by the data, as typed:
// "--epochs 100"; and the whole command that makes the run again.
std::vector<std::string> changed_options(const RunInfo& info);
std::string command_of(const RunInfo& info, const RunFolder& folder);
std::string quoted(const std::string& word);  // as one would type it in a shell

// Data Error unless the folder holds a run that is finished. It says where and why the run stopped,
// and how to continue it.
void check_finished(const RunFolder& folder);
// "this run stopped at epoch 40 of 100: interrupted", or nothing for a finished run.
std::string unfinished_text(const RunFolder& folder);

}  // namespace gs
