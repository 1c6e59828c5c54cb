// A run folder: the names of its files, which only this header knows, not their contents. Each file
// is written completely or not at all.
//
//   options.json             the data, the method and the options (run/info.h)
//   metrics.jsonl            one line per epoch (run/metrics.h)
//   model.safetensors        the trained weights (run/model.h)
//   model-split-K.safetensors  the weights selected on split K, with --select val
//   state.safetensors        the checkpoint, which is all that --resume needs (run/checkpoint.h)
//   embeddings.npy, ids.txt  one row per node, and the node ids where the data has them
//   scores.json              the scores of `eval`
//   run.json                 what it was made from and how far it came (run/record.h)
//   README.md                the model card (run/card.h), unless the user wrote another
//   checksums.json           of the files that have none of their own, as .safetensors have
//
// One training writes to it at a time (run/lock.h).
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "base/checksums.h"

namespace gs {

// The first lines of a model card.
inline constexpr std::string_view kCardHead = "---\nlibrary_name: graphsurgeon\n";

class RunFolder {
 public:
  explicit RunFolder(std::filesystem::path path) : path_(std::move(path)) {}

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path options() const { return path_ / "options.json"; }
  std::filesystem::path metrics() const { return path_ / "metrics.jsonl"; }
  std::filesystem::path model() const { return path_ / "model.safetensors"; }
  std::filesystem::path split_model(size_t split) const;
  std::filesystem::path state() const { return path_ / "state.safetensors"; }
  std::filesystem::path embeddings() const { return path_ / "embeddings.npy"; }
  std::filesystem::path ids() const { return path_ / "ids.txt"; }
  std::filesystem::path scores() const { return path_ / "scores.json"; }
  std::filesystem::path record() const { return path_ / "run.json"; }
  std::filesystem::path card() const { return path_ / "README.md"; }
  std::filesystem::path checksums() const { return path_ / kChecksumsFile; }

  bool exists() const { return std::filesystem::exists(options()); }
  bool finished() const { return std::filesystem::exists(model()); }
  bool has_checkpoint() const { return std::filesystem::exists(state()); }

  // Whether a file of this name in a run folder belongs to the run. All others are the user's.
  static bool owns(std::string_view name);
  // Whether README.md is absent or a model card of ours, which may be replaced.
  bool owns_card() const;
  // Whether options.json describes a run.
  bool holds_run() const;
  // The names of the files in the folder that belong to the run, sorted; the model card is one.
  std::vector<std::string> files() const;

  // Data Error unless a training may begin here: with `overwrite`, or with `resume` where there is
  // no checkpoint, files that have the names of a run's are replaced only where options.json says
  // that they are a run's.
  void check_writable(bool resume, bool overwrite) const;
  // Creates the folder, or removes the files of an earlier run from it, including temporary files
  // of killed processes, and nothing else.
  void make_empty() const;
  // Writes the checksums of a finished run.
  void seal() const;
  // Removes them, before a file is written that has one.
  void unseal() const;
  // Writes a file of the run. Of a finished run, its checksum too, and no other.
  void write(const std::filesystem::path& file, std::string_view text) const;
  // Removes only those temporary files. No other process may be writing to the run.
  void remove_temporaries() const;

 private:
  std::filesystem::path path_;
};

}  // namespace gs
