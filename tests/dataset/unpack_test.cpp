#include "dataset/unpack.h"

#include <gtest/gtest.h>

#include <map>

#include "support/files.h"

namespace gs::test {
namespace {

TEST(Unpack, MembersLandInTheFolderWhateverTheirNames) {
  const TempFolder temp;
  run_python(temp.path(), R"(
with zipfile.ZipFile('a.zip', 'w', zipfile.ZIP_DEFLATED) as z:
  z.writestr('plain.txt', 'one')
  z.writestr('deep/er/two.txt', 'two')
  z.writestr('../../escape.txt', 'three')
  z.writestr('/tmp/gs_absolute.txt', 'four')
  z.writestr('folder/', '')
  z.writestr('.hidden', 'no')
  z.writestr('__MACOSX/plain.txt', 'no')
)");
  fs::create_directories(temp / "x" / "y");
  unpack_zip(temp / "a.zip", temp / "x" / "y");
  std::map<std::string, std::string> found;
  for (const auto& entry : fs::directory_iterator(temp / "x" / "y"))
    found[entry.path().filename()] = read_text(entry.path());
  EXPECT_EQ(found, (std::map<std::string, std::string>{{"plain.txt", "one"},
                                                       {"two.txt", "two"},
                                                       {"escape.txt", "three"},
                                                       {"gs_absolute.txt", "four"}}));
  EXPECT_FALSE(fs::exists(temp / "escape.txt"));
  EXPECT_FALSE(fs::exists("/tmp/gs_absolute.txt"));
}

TEST(Unpack, RefusesDamage) {
  const TempFolder temp;
  run_python(temp.path(), R"(
with zipfile.ZipFile('good.zip', 'w', zipfile.ZIP_DEFLATED) as z: z.writestr('a.txt', 'abcdefgh' * 1000)
data = bytearray(open('good.zip', 'rb').read())
open('short.zip', 'wb').write(data[:len(data) // 2])
spoilt = bytearray(data); spoilt[40] ^= 0xff
open('spoilt.zip', 'wb').write(spoilt)
bomb = bytearray(data)
at = bomb.rindex(b'PK\x01\x02')
bomb[at + 24:at + 28] = struct.pack('<I', 0x7fffffff)
open('bomb.zip', 'wb').write(bomb)
)");
  write_text(temp / "text.zip", "this is no archive");
  fs::create_directory(temp / "out");
  for (const char* name : {"short.zip", "text.zip", "absent.zip"})
    expect_data_error([&] { unpack_zip(temp / name, temp / "out"); },
                      "is not a zip archive, or is damaged");
  expect_data_error([&] { unpack_zip(temp / "spoilt.zip", temp / "out"); }, "is damaged");
  expect_data_error([&] { unpack_zip(temp / "bomb.zip", temp / "out"); }, "claims to unpack");
  EXPECT_TRUE(fs::is_empty(temp / "out"));
}

}  // namespace
}  // namespace gs::test
