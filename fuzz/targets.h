// What is fuzzed: a table of targets, each a function of bytes and its first inputs. A target
// throws FuzzFinding if the code under test does anything but succeed or raise a gs::Error for the
// user.
//
// An input of a target that reads files is a bundle: any number of parts, each one byte that
// chooses a name, two bytes of length (little-endian) and the content; see fuzz/bundle.h.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace gs::fuzz {

using Bytes = std::span<const uint8_t>;

struct FuzzFinding : std::logic_error {
  using std::logic_error::logic_error;
};

struct Target {
  std::string name;
  void (*run)(const Target& target, Bytes input);
  std::vector<std::string> (*seeds)(const Target& target);
  std::vector<std::string> names = {};  // of a bundle's files
  std::string path = {};                // the one to read; empty: their folder
};

const std::vector<Target>& targets();
const Target* find_target(std::string_view name);

// Words of the formats, in libFuzzer's form for dictionaries.
std::string dictionary();

}  // namespace gs::fuzz
