// The first inputs of each target: small files of every format, made by the same writers that the
// tests use, so that none is kept.
#pragma once

#include <string>
#include <vector>

#include "fuzz/targets.h"

namespace gs::fuzz {

// A format of datasets: the files that a bundle may hold, and the one to read (empty: the folder).
struct Format {
  std::string name;
  std::vector<std::string> names;
  std::string path;
};
const std::vector<Format>& formats();

using Seeds = std::vector<std::string>;
Seeds npy_seeds(const Target& target);
Seeds npz_seeds(const Target& target);
Seeds safetensors_seeds(const Target& target);
Seeds json_seeds(const Target& target);
Seeds text_seeds(const Target& target);
Seeds options_seeds(const Target& target);
Seeds info_seeds(const Target& target);
Seeds generator_seeds(const Target& target);
Seeds arrays_seeds(const Target& target);
Seeds bundle_seeds(const Target& target);

}  // namespace gs::fuzz
