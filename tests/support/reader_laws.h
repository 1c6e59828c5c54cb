// What every reader must survive: nothing where a file should be, something else there, files cut
// anywhere and files with a wrong byte. All give a clean data Error with a place and a hint; only a
// wrong byte may also go unnoticed, where it makes another valid file. expect_refuses_rubbish runs
// over every row of the readers' table; the others need a good file of the format.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/parallel.h"
#include "dataset/reader.h"
#include "support/files.h"

namespace gs::test {

// The data Error of `action` in one line, "" when it succeeded. Anything else fails the test.
inline std::string data_error_of(const std::function<void()>& action) {
  try {
    action();
    return {};
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data) << error.what();
    EXPECT_FALSE(error.where().empty()) << error.what();
    EXPECT_FALSE(error.hint().empty()) << error.what();
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another exception: " << error.what();
    return error.what();
  }
}

inline RawDataset read_with(RawDataset (*reader)(const ReadRequest&), const fs::path& path) {
  ReadRequest request;
  request.path = path;
  RawDataset raw = read_raw(reader, request);
  raw.wait_for_features();
  return raw;
}

// Paths that are no dataset at all are neither recognized nor read, and the message names them.
inline void expect_refuses_rubbish(const Reader& reader) {
  TempFolder folder;
  write_text(folder / "empty.npz", "");
  write_text(folder / "noise.npz", std::string(1000, '\xff'));
  write_text(folder / "zip.npz", "PK\x03\x04 and nothing else");
  write_text(folder / "text.npz", "not a zip");
  fs::create_directory(folder / "folder.npz");
  fs::create_symlink(folder / "loop.npz", folder / "loop.npz");
  for (const char* name : {"empty.npz", "noise.npz", "zip.npz", "text.npz", "folder.npz",
                           "loop.npz", "absent.npz", "text.npz/below"}) {
    EXPECT_FALSE(reader.detect(folder / name)) << name;
    const std::string line = data_error_of([&] { read_with(reader.read, folder / name); });
    EXPECT_NE(line.find(name), std::string::npos) << name << " gives: " << line;
  }
}

// Python that writes NAME.npz with `save` (np.savez or np.savez_compressed): the arrays `good`,
// without some and with others changed.
inline constexpr std::string_view kWriteNpz = R"(
def write(name, drop=(), **changes):
    save(name + '.npz', **{k: v for k, v in {**good, **changes}.items() if k not in drop})
)";

// A file or folder of a dataset with one mistake, and a part of the message that it gives.
struct Mistake {
  const char *name, *part;
};

// Each is recognized as the reader's format, and refused with its message.
inline void expect_refuses_mistakes(const Reader& reader, const fs::path& folder,
                                    std::span<const Mistake> mistakes,
                                    const std::string& suffix = {}) {
  for (const auto& [name, part] : mistakes) {
    SCOPED_TRACE(name);
    const fs::path path = folder / (name + suffix);
    EXPECT_TRUE(reader.detect(path));
    expect_data_error([&] { read_with(reader.read, path); }, part);
  }
}

inline void replace(const fs::path& file, const std::string& text) {
  fs::remove(file);  // a new file is written to memory; one that is truncated and rewritten goes to
                     // disk each time
  write_text(file, text);
}

// Cuts `file` at about `cuts` lengths, among them nothing and all but the last byte; restores it.
inline void expect_truncation_is_noticed(const fs::path& file, size_t cuts,
                                         const std::function<void()>& read) {
  const ThreadScope one_thread(1);  // hundreds of tiny reads
  const std::string whole = read_text(file);
  ASSERT_EQ(data_error_of(read), "");
  for (size_t i = 0; i <= cuts; ++i) {
    const size_t length = (whole.size() - 1) * i / cuts;
    replace(file, whole.substr(0, length));
    EXPECT_NE(data_error_of(read), "")
        << file << " cut to " << length << " of " << whole.size() << " bytes";
  }
  replace(file, whole);
}

// Inverts about `places` bytes of `file`, one at a time; restores it.
inline void expect_wrong_bytes_do_no_harm(const fs::path& file, size_t places,
                                          const std::function<void()>& read) {
  const ThreadScope one_thread(1);  // hundreds of tiny reads
  const std::string whole = read_text(file);
  for (size_t i = 0; i <= places; ++i) {
    std::string changed = whole;
    changed[(whole.size() - 1) * i / places] ^= static_cast<char>(0xFF);
    replace(file, changed);
    data_error_of(read);
  }
  replace(file, whole);
}

// Both of the above.
inline void expect_damage_does_no_harm(const fs::path& file, size_t places,
                                       const std::function<void()>& read) {
  expect_truncation_is_noticed(file, places, read);
  expect_wrong_bytes_do_no_harm(file, places, read);
}

// The same for the .npz that `script` gets from write('good').
inline void expect_damage_to_npz_does_no_harm(RawDataset (*reader)(const ReadRequest&),
                                              const std::string& script) {
  const TempFolder folder;
  run_python(folder.path(), script + "write('good')");
  const fs::path path = folder / "good.npz";
  expect_damage_does_no_harm(path, 150, [&] { read_with(reader, path); });
}

}  // namespace gs::test
