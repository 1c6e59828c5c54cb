#include "fuzz/bundle.h"

#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <fstream>

namespace gs::fuzz {

namespace {

namespace stdfs = std::filesystem;

template <class T>
void put(std::string& out, T value) {
  for (size_t i = 0; i < sizeof value; ++i) out += static_cast<char>(value >> (8 * i));
}

// The fields that a local header and the directory have in common.
void put_entry(std::string& out, const std::string& name, const std::string& content) {
  put<uint16_t>(out, 20), put<uint16_t>(out, 0), put<uint16_t>(out, 0);  // version, flags, stored
  put<uint32_t>(out, 0x00210000);                                        // 1980-01-01
  put<uint32_t>(out, static_cast<uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(content.data()),
                                                 static_cast<uInt>(content.size()))));
  put(out, static_cast<uint32_t>(content.size())), put(out, static_cast<uint32_t>(content.size()));
  put(out, static_cast<uint16_t>(name.size())), put<uint16_t>(out, 0);
}

}  // namespace

std::string zip_of(const Files& members) {
  std::string out, directory;
  for (const auto& [name, content] : members) {
    put<uint32_t>(directory, 0x02014b50), put<uint16_t>(directory, 20);
    put_entry(directory, name, content);
    put<uint16_t>(directory, 0), put<uint16_t>(directory, 0), put<uint16_t>(directory, 0);
    put<uint32_t>(directory, 0), put(directory, static_cast<uint32_t>(out.size()));
    directory += name;
    put<uint32_t>(out, 0x04034b50);
    put_entry(out, name, content);
    out += name + content;
  }
  const auto begin = static_cast<uint32_t>(out.size());
  out += directory;
  put<uint32_t>(out, 0x06054b50), put<uint32_t>(out, 0);
  const auto count = static_cast<uint16_t>(members.size());
  put(out, count), put(out, count), put(out, static_cast<uint32_t>(directory.size()));
  put(out, begin), put<uint16_t>(out, 0);
  return out;
}

Files unpack(Bytes bundle, const std::vector<std::string>& names) {
  Files out;
  constexpr size_t kHead = 3;
  while (bundle.size() >= kHead) {
    const size_t length = bundle[1] + 256u * bundle[2];
    const std::string& name = names[bundle[0] % names.size()];
    bundle = bundle.subspan(kHead);
    const Bytes content = bundle.first(std::min(length, bundle.size()));
    out[name].assign(content.begin(), content.end());
    bundle = bundle.subspan(content.size());
  }
  Files whole;
  std::map<std::string, Files> archives;
  for (auto& [name, content] : out) {
    const size_t mark = name.find('!');
    if (mark == std::string::npos) whole[name] = std::move(content);
    else archives[name.substr(0, mark)][name.substr(mark + 1) + ".npy"] = std::move(content);
  }
  for (const auto& [name, members] : archives) whole[name] = zip_of(members);
  return whole;
}

std::string pack(const Files& files, const std::vector<std::string>& names) {
  std::string out;
  for (size_t i = 0; i < names.size(); ++i) {
    const auto found = files.find(names[i]);
    if (found == files.end()) continue;
    out += static_cast<char>(i);
    put(out, static_cast<uint16_t>(found->second.size()));
    out += found->second;
  }
  return out;
}

FileSet::FileSet(const Files& files) {
  const stdfs::path memory = "/dev/shm";
  std::string name =
      ((stdfs::is_directory(memory) ? memory : stdfs::temp_directory_path()) / "gs-fuzz-XXXXXX")
          .string();
  if (!mkdtemp(name.data())) throw std::runtime_error("no folder for the files");
  folder_ = name;
  for (const auto& [file, content] : files) {
    stdfs::create_directories((folder_ / file).parent_path());
    std::ofstream(folder_ / file, std::ios::binary) << content;
  }
}

FileSet::~FileSet() {
  std::error_code ignored;
  stdfs::remove_all(folder_, ignored);
}

}  // namespace gs::fuzz
