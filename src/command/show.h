// The command `show`: what a run is, what it was made from and how it scored. Reads the small files
// of the folder alone, and needs no libtorch.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "run/record.h"

namespace gs {

struct ShowResult {
  std::string run;         // the folder
  std::string unfinished;  // where and why the run stopped; empty if it is finished
  std::string command;     // that makes the run again
  RunInfo info;
  RunRecord record;
  nlohmann::json scores;  // null if it was not scored
};

// Data Error if the folder holds no run.
ShowResult show(const std::filesystem::path& run);
nlohmann::json to_json(const ShowResult& result);
std::string to_text(const ShowResult& result);

}  // namespace gs
