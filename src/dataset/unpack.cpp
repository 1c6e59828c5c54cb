#include "dataset/unpack.h"

#include <zip.h>

#include <memory>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/file.h"

namespace gs {

namespace {

constexpr const char* kFetchAgain = "remove the archive and fetch it again";
constexpr uint64_t kMostExpansion = 1032;  // deflate cannot do better
constexpr size_t kChunkBytes = size_t{1} << 20;

// The member's name without folders; empty for a folder, a hidden file, or a name that no file
// should have.
std::string plain_name(std::string_view name) {
  if (name.starts_with("__MACOSX/")) return {};
  name.remove_prefix(name.find_last_of("/\\") + 1);  // npos + 1 is 0
  const bool odd = name.empty() || name.front() == '.' || printable(name, name.size()) != name;
  return odd ? std::string() : std::string(name);
}

}  // namespace

std::vector<fs::path> unpack_zip(const fs::path& archive, const fs::path& folder,
                                 Progress& progress) {
  std::vector<fs::path> written;
  int code = 0;
  const std::unique_ptr<zip_t, void (*)(zip_t*)> zip(zip_open(archive.c_str(), ZIP_RDONLY, &code),
                                                     zip_discard);
  if (!zip) fail_data(archive.string(), "is not a zip archive, or is damaged", kFetchAgain);
  std::vector<char> chunk(kChunkBytes);
  for (zip_int64_t i = 0; i < zip_get_num_entries(zip.get(), 0); ++i) {
    zip_stat_t stat;
    const bool known = zip_stat_index(zip.get(), static_cast<zip_uint64_t>(i), 0, &stat) == 0 &&
                       (stat.valid & ZIP_STAT_NAME) && (stat.valid & ZIP_STAT_SIZE) &&
                       (stat.valid & ZIP_STAT_COMP_SIZE);
    if (!known)
      fail_data(archive.string(), fmt::format("member {} cannot be read", i), kFetchAgain);
    const std::string name = plain_name(stat.name);
    if (name.empty()) continue;
    const std::string where = fmt::format("{}[{}]", archive.string(), name);
    if (stat.size / kMostExpansion > stat.comp_size + 1)
      fail_data(where,
                fmt::format("claims to unpack from {} to {} bytes", stat.comp_size, stat.size),
                kFetchAgain);
    const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> member(
        zip_fopen_index(zip.get(), static_cast<zip_uint64_t>(i), 0), zip_fclose);
    if (!member) fail_data(where, "cannot be unpacked", kFetchAgain);
    progress.start("unpacking " + name, static_cast<int64_t>(stat.size), "bytes");
    AtomicFile file(folder / name);
    zip_int64_t got = 0;
    uint64_t total = 0;
    while ((got = zip_fread(member.get(), chunk.data(), chunk.size())) > 0) {
      total += static_cast<uint64_t>(got);
      file.write(std::string_view(chunk.data(), static_cast<size_t>(got)));
      progress.advance(got);
    }
    if (got < 0 || total != stat.size) fail_data(where, "is damaged", kFetchAgain);
    file.commit();
    written.push_back(folder / name);
    progress.finish();
  }
  return written;
}

}  // namespace gs
