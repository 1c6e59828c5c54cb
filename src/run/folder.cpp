#include "run/folder.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"

namespace gs {

namespace {

namespace stdfs = std::filesystem;

// The prefix and suffix of an AtomicFile's temporary name.
bool is_temporary(std::string_view name) {
  return name.starts_with(".") && name.find(".tmp-") != std::string_view::npos;
}

template <class Accept>
std::vector<std::string> names_in(const stdfs::path& folder, const Accept& accept) {
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& entry : stdfs::directory_iterator(folder, error))
    if (accept(entry.path().filename().string()) && !entry.is_directory(error))
      found.push_back(entry.path().filename().string());
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

stdfs::path RunFolder::split_model(size_t split) const {
  return path_ / fmt::format("model-split-{}.safetensors", split);
}

bool RunFolder::owns(std::string_view name) {
  const RunFolder here{""};
  for (const stdfs::path& file :
       {here.options(), here.metrics(), here.model(), here.state(), here.embeddings(), here.ids(),
        here.scores(), here.record(), here.checksums()})
    if (name == file.string()) return true;
  return name.starts_with("model-split-") && name.ends_with(".safetensors");
}

bool RunFolder::owns_card() const {
  std::error_code error;
  if (!stdfs::exists(card(), error)) return true;
  std::string head(kCardHead.size(), '\0');
  std::ifstream(card()).read(head.data(), std::ssize(head));
  return head == kCardHead;
}

std::vector<std::string> RunFolder::files() const {
  const std::string card_name = card().filename().string();
  return names_in(path_, [&](const std::string& name) {
    return owns(name) || (name == card_name && owns_card());
  });
}

void RunFolder::check_writable(bool resume, bool overwrite) const {
  if (!stdfs::exists(path_)) return;
  if (!stdfs::is_directory(path_))
    fail_data(path_.string(), "exists and is not a folder", "choose another name with -o");
  // --resume of a run that was killed before its first checkpoint starts it again.
  if (!stdfs::is_empty(path_) && !overwrite && !resume)
    fail_data(path_.string(), "already exists and is not empty",
              "pass --resume to continue the run, or --overwrite to replace it");
  if (resume && has_checkpoint()) return;  // the trainer reads the state, and replaces its files
  if (const auto names = files(); !names.empty() && !holds_run())
    fail_data((path_ / names.front()).string(), "is not replaced: the folder does not hold a run",
              "choose another folder with -o, or move the file away");
}

bool RunFolder::holds_run() const {
  std::error_code ignored;
  if (!stdfs::is_regular_file(options(), ignored)) return false;
  try {
    const auto json = parse_json(MappedFile(options()).text());
    return json.contains("data") && json.contains("features") && json.at("options").is_object();
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

void RunFolder::make_empty() const {
  std::error_code error;
  for (const std::string& name : files()) stdfs::remove(path_ / name, error);
  remove_temporaries();
  stdfs::create_directories(path_, error);
  if (error) fail_data(path_.string(), error.message(), "choose a writable folder");
}

void RunFolder::seal() const {
  unseal();
  std::vector<std::string> names;
  for (const auto& file : {options(), metrics(), embeddings(), ids(), scores()})
    names.push_back(file.filename().string());
  add_checksums(path_, names);
}

void RunFolder::unseal() const {
  std::error_code error;
  stdfs::remove(checksums(), error);
  if (error) fail_data(checksums().string(), error.message(), "choose a writable folder");
}

void RunFolder::write(const stdfs::path& file, std::string_view text) const {
  const std::string name = file.filename().string();
  Checksums all = read_checksums(path_);
  if (all.empty()) return write_file(file, text);
  all.erase(name);
  write_checksums(path_, all);  // without one, if this process ends before the next
  write_file(file, text);
  add_checksums(path_, {name});
}

void RunFolder::remove_temporaries() const {
  std::error_code error;
  for (const std::string& name : names_in(path_, is_temporary)) stdfs::remove(path_ / name, error);
}

}  // namespace gs
