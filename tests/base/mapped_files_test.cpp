#include "base/mapped_files.h"

#include <gtest/gtest.h>

#include <csignal>

#include "base/file.h"
#include "support/files.h"

namespace gs {
namespace {

using test::expect_data_error;
using test::TempFolder;
using test::write_text;

void check(const MappedFile& file) {
  const void* const addresses[] = {nullptr, &addresses, file.bytes().data() + 5};
  check_unchanged(addresses);
}

TEST(MappedFiles, AFileThatWasCutOrRewrittenIsNamed) {
  const TempFolder folder;
  for (const size_t size : {3u, 30u}) {
    write_text(folder / "a", std::string(10, 'x'));
    const MappedFile file(folder / "a");
    EXPECT_TRUE(is_mapped(file.bytes().data() + 9));
    EXPECT_FALSE(is_mapped(&size));
    check(file);
    write_text(folder / "a", std::string(size, 'y'));
    expect_data_error([&] { check(file); }, "a: changed while it was in use");
  }
}

TEST(MappedFiles, AFileThatWasReplacedOrRemovedIsStillWhatWasMapped) {
  const TempFolder folder;
  write_file(folder / "a", "0123456789");
  const MappedFile file(folder / "a");
  write_file(folder / "a", "another");
  check(file);
  fs::remove(folder / "a");
  check(file);
  EXPECT_EQ(file.text(), "0123456789");
}

TEST(MappedFiles, ManyAreListedAndForgotten) {
  const TempFolder folder;
  write_text(folder / "a", std::string(10, 'x'));
  for (int round = 0; round < 3; ++round) {
    std::vector<MappedFile> files;
    for (int i = 0; i < 2000; ++i) files.emplace_back(folder / "a");
    EXPECT_TRUE(is_mapped(files.back().bytes().data()));
  }
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
char first_of(const MappedFile& file) {
  const auto* text = reinterpret_cast<const volatile char*>(file.bytes().data());
  return text[0];
}

TEST(MappedFilesDeathTest, AFaultIsAnErrorThatNamesTheFile) {
  const TempFolder folder;
  const auto cut = [&] {
    report_faults_of_mapped_files();
    write_text(folder / "a", std::string(10, 'x'));
    const MappedFile file(folder / "a");
    fs::resize_file(folder / "a", 0);
    first_of(file);  // SIGBUS
  };
  EXPECT_EXIT(cut(), testing::ExitedWithCode(3),
              "error: .*/a: changed while it was in use\nhint: ");
  const auto rewritten = [&] {
    report_faults_of_mapped_files();
    write_text(folder / "b", std::string(10, 'x'));
    const MappedFile file(folder / "b");
    write_text(folder / "b", std::string(11, 'y'));
    std::raise(SIGSEGV);  // as an index out of range does
  };
  EXPECT_EXIT(rewritten(), testing::ExitedWithCode(3), "/b: changed while it was in use");
  const auto otherwise = [&] {
    report_faults_of_mapped_files();
    *static_cast<volatile char*>(nullptr) = 1;
  };
  EXPECT_EXIT(otherwise(), testing::KilledBySignal(SIGSEGV), "");
}
#endif

}  // namespace
}  // namespace gs
