// The model card of a run, README.md in its folder: what it is, its scores beside those of
// references, how to load it, and how to make it again. Written at the end of a training and again
// by `eval`. No libtorch in this header.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "run/record.h"

namespace gs {

// One row of scores per reference, then the run's own: its title and one cell per probe, such as
// "92.30 +- 0.41". Made from the content of scores.json, which may be null.
struct ScoreRows {
  struct Row {
    std::string title;
    std::vector<std::string> cells;
  };
  std::string title;                // "accuracy over 10 splits"
  std::vector<std::string> probes;  // headings of the cells
  std::vector<Row> rows;
  std::string verdict;  // one sentence, or empty
};
ScoreRows score_table(const nlohmann::json& scores);

// "solved" or "trained for 100 epochs", by the method of that name.
std::string made_text(const RunInfo& info);

std::string card_text(const RunFolder& folder, const RunInfo& info, const RunRecord& record,
                      const nlohmann::json& scores);
// The content of scores.json, or null.
nlohmann::json load_scores(const RunFolder& folder);

// Writes the card from the folder's other files. Does nothing if the user wrote another README.md.
void write_card(const RunFolder& folder);

}  // namespace gs
