#include "base/checksums.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/safetensors.h"

namespace gs {

namespace {

constexpr const char* kHint = "copy it again from where it was made, or make it again";

[[noreturn]] void fail_damaged(const fs::path& file) {
  fail_data(file.string(), "is damaged: its checksum differs", kHint);
}

void check(const fs::path& folder, const Checksums::value_type& entry, Progress& progress) {
  const fs::path file = folder / entry.first;
  if (checksum_of(file, progress) != entry.second) fail_damaged(file);
}

}  // namespace

Checksums read_checksums(const fs::path& folder) {
  const fs::path path = folder / kChecksumsFile;
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return {};
  try {
    return parse_json(MappedFile(path).text()).at("files").get<Checksums>();
  } catch (const nlohmann::json::exception& error) {
    fail_data(path.string(), "is damaged, or not a list of checksums", kHint);
  }
}

void write_checksums(const fs::path& folder, const Checksums& checksums) {
  write_file(folder / kChecksumsFile,
             nlohmann::json{{"algorithm", "XXH3-128"}, {"files", checksums}}.dump(2) + "\n");
}

std::string checksum_of(const fs::path& path, Progress& progress) {
  constexpr size_t kPiece = size_t{8} << 20;
  const MappedFile file(path);
  FileHasher hasher;
  for (auto rest = file.bytes(); !rest.empty();) {
    const auto piece = rest.first(std::min(kPiece, rest.size()));
    hasher.add(piece);
    progress.advance(std::ssize(piece));
    rest = rest.subspan(piece.size());
  }
  return hasher.hex();
}

void add_checksums(const fs::path& folder, const std::vector<std::string>& names) {
  Checksums all = read_checksums(folder);
  std::error_code ignored;
  for (const std::string& name : names)
    if (fs::exists(folder / name, ignored)) all[name] = checksum_of(folder / name);
  write_checksums(folder, all);
}

void check_checksum(const fs::path& folder, const std::string& name) {
  const Checksums all = read_checksums(folder);
  if (const auto found = all.find(name); found != all.end()) check(folder, *found, no_progress());
}

Verified verify_folder(const fs::path& folder, Progress& progress) {
  Verified out;
  const Checksums all = read_checksums(folder);
  for (const auto& entry : all) {
    if (entry.first.find('/') != std::string::npos) fail_damaged(folder / kChecksumsFile);
    check(folder, entry, progress);
    ++out.files;
    out.bytes += static_cast<int64_t>(fs::file_size(folder / entry.first));
  }
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".safetensors" || all.contains(entry.path().filename()))
      continue;
    if (!load_safetensors(entry.path()).checked) continue;
    ++out.files;
    out.bytes += static_cast<int64_t>(entry.file_size());
  }
  return out;
}

}  // namespace gs
