#include "base/checksums.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "base/safetensors.h"
#include "support/files.h"

namespace gs::test {
namespace {

TEST(Checksums, AreThoseOfXxhsum) {  // printf abc | xxhsum -H2
  const TempFolder folder;
  write_text(folder / "a", "abc");
  EXPECT_EQ(checksum_of(folder / "a"), "06b05ab6733a618578af5f94892f3950");
}

TEST(Checksums, AFlippedBitAndAMissingFileAreNamed) {
  const TempFolder folder;
  write_text(folder / "a", "abc");
  write_text(folder / "b", std::string(20 << 20, 'x'));
  write_text(folder / "other", "not listed");
  EXPECT_EQ(verify_folder(folder.path()).files, 0);
  add_checksums(folder.path(), {"a", "b", "absent"});
  EXPECT_EQ(verify_folder(folder.path()).files, 2);
  EXPECT_EQ(verify_folder(folder.path()).bytes, 3 + (20 << 20));
  std::string text = read_text(folder / "b");
  text[19 << 20] ^= 1;
  write_text(folder / "b", text);
  check_checksum(folder.path(), "a");
  check_checksum(folder.path(), "other");
  expect_data_error([&] { check_checksum(folder.path(), "b"); }, "b: is damaged");
  expect_data_error([&] { verify_folder(folder.path()); }, "b: is damaged");
  fs::remove(folder / "b");
  expect_data_error([&] { verify_folder(folder.path()); }, "b: no such file");
}

TEST(Checksums, AListThatIsNoneIsBadData) {
  const TempFolder folder;
  for (const char* text : {"", "[]", "{}", R"({"files": [1]})", R"({"files": {"a": 1}})"}) {
    write_text(folder / "checksums.json", text);
    expect_data_error([&] { read_checksums(folder.path()); }, "checksums.json: is damaged");
  }
  write_text(folder / "checksums.json", R"({"files": {"../a": "00"}})");
  expect_data_error([&] { verify_folder(folder.path()); }, "checksums.json: is damaged");
}

TEST(Checksums, EveryFlippedBitOfASafetensorsFileIsNoticedOrChangesNothing) {
  const TempFolder folder;
  const std::vector<float> values{1, 2, 3};
  SafeTensors one;
  one.metadata = {{"about", "x"}};
  one.tensors["w"] = {"F32", {3}, std::as_bytes(std::span(values))};
  save_safetensors(folder / "a", one);
  EXPECT_TRUE(load_safetensors(folder / "a").checked);
  EXPECT_EQ(load_safetensors(folder / "a").metadata, one.metadata);
  const std::string whole = read_text(folder / "a");
  int noticed = 0;
  for (size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string changed = whole;
    changed[bit / 8] ^= static_cast<char>(1 << bit % 8);
    write_text(folder / "a", changed);
    try {
      const SafeTensors read = load_safetensors(folder / "a");
      ASSERT_EQ(read.tensors.at("w").shape, one.tensors["w"].shape) << bit;
      ASSERT_EQ(0, std::memcmp(read.tensors.at("w").data.data(), values.data(), 12)) << bit;
      ASSERT_EQ(read.metadata.at("about"), "x") << bit;
    } catch (const std::exception& error) {
      ++noticed;
    }
  }
  // What is left are bits of the blanks after the header, and of the checksum's own name.
  EXPECT_GT(noticed, 8 * static_cast<int>(whole.size()) - 80);
}

}  // namespace
}  // namespace gs::test
