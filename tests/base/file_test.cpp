#include "base/file.h"

#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

#include "base/error.h"
#include "support/files.h"

namespace gs::test {
namespace {

std::string hint_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.hint();
  }
  return "no error";
}

int64_t entries(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

// Root may do anything; as nobody, permissions count.
class WithoutRoot {
 public:
  WithoutRoot() : root_(::geteuid() == 0) {
    if (root_ && ::seteuid(65534) != 0) root_ = false;
  }
  ~WithoutRoot() {
    if (root_ && ::seteuid(0) != 0) std::terminate();
  }

 private:
  bool root_;
};

TEST(MappedFile, HoldsTheBytes) {
  const TempFolder folder;
  write_text(folder / "a.txt", "hello");
  const MappedFile file(folder / "a.txt");
  EXPECT_EQ(file.text(), "hello");
  EXPECT_EQ(file.bytes().size(), 5u);
  EXPECT_EQ(file.path(), (folder / "a.txt").string());
}

TEST(MappedFile, CopyOutlivesTheOriginalAndTheName) {
  const TempFolder folder;
  write_text(folder / "a.txt", "hello");
  MappedFile copy;
  {
    const MappedFile file(folder / "a.txt");
    copy = file;
  }
  fs::remove(folder / "a.txt");
  EXPECT_EQ(copy.text(), "hello");
}

TEST(MappedFile, EmptyFileIsEmpty) {
  const TempFolder folder;
  write_text(folder / "empty", "");
  EXPECT_TRUE(MappedFile(folder / "empty").bytes().empty());
}

TEST(MappedFile, MissingFileSuggestsTheNearestName) {
  const TempFolder folder;
  write_text(folder / "photo.npz", "x");
  const auto open = [&] { MappedFile(folder / "phtoo.npz"); };
  expect_data_error(open, "phtoo.npz: no such file");
  EXPECT_NE(hint_of(open).find("photo.npz'?"), std::string::npos) << hint_of(open);
}

TEST(MappedFile, MissingFolderIsNamed) {
  const TempFolder folder;
  const auto open = [&] { MappedFile(folder.path() / "nowhere" / "a.npz"); };
  expect_data_error(open, "no such file");
  EXPECT_NE(hint_of(open).find("no folder '" + (folder / "nowhere").string()), std::string::npos);
}

TEST(MappedFile, FileUsedAsAFolderIsSaid) {
  const TempFolder folder;
  write_text(folder / "a", "x");
  expect_data_error([&] { MappedFile(folder.path() / "a" / "b"); }, "no such file");
}

TEST(MappedFile, RefusesADirectory) {
  const TempFolder folder;
  expect_data_error([&] { MappedFile file(folder.path()); }, "is a directory");
}

TEST(MappedFile, RefusesAFifoWithoutWaiting) {
  const TempFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  expect_data_error([&] { MappedFile(folder / "pipe"); }, "not a regular file");
  expect_data_error([&] { MappedFile("/dev/null"); }, "not a regular file");
}

TEST(MappedFile, SaysWhenThereIsNoPermission) {
  const TempFolder folder;
  write_text(folder / "secret", "x");
  fs::permissions(folder.path(), fs::perms::all);
  fs::permissions(folder / "secret", fs::perms::none);
  const WithoutRoot nobody;
  expect_data_error([&] { MappedFile(folder / "secret"); }, "no permission to read");
}

TEST(AtomicFile, TargetAppearsAtCommitOnly) {
  const TempFolder folder;
  AtomicFile file(folder / "a.txt");
  file.write("hello");
  EXPECT_FALSE(fs::exists(folder / "a.txt"));
  file.commit();
  EXPECT_EQ(read_text(folder / "a.txt"), "hello");
  EXPECT_EQ(entries(folder.path()), 1);
}

TEST(AtomicFile, WithoutCommitTheOldFileStaysAndNothingIsLeft) {
  const TempFolder folder;
  write_text(folder / "a.txt", "old");
  {
    AtomicFile file(folder / "a.txt");
    file.write(std::string(3 << 20, 'x'));
    EXPECT_EQ(entries(folder.path()), 2);
    EXPECT_EQ(read_text(folder / "a.txt"), "old");
  }
  EXPECT_EQ(entries(folder.path()), 1);
  EXPECT_EQ(read_text(folder / "a.txt"), "old");
}

TEST(AtomicFile, ReplacesTheOldFile) {
  const TempFolder folder;
  write_file(folder / "a.txt", "old and long");
  write_file(folder / "a.txt", "new");
  EXPECT_EQ(read_text(folder / "a.txt"), "new");
}

TEST(AtomicFile, SmallAndLargeWritesKeepTheirOrder) {
  const TempFolder folder;
  AtomicFile file(folder / "a");
  std::string expected;
  for (const size_t size : {3, 1 << 20, 5, 3 << 20, 1, 700'000, 700'000, 0, 2}) {
    const std::string part(size, static_cast<char>('a' + expected.size() % 26));
    file.write(part);
    expected += part;
  }
  const int32_t numbers[] = {1, 2};
  file.write_values(std::span<const int32_t>(numbers));
  file.commit();
  EXPECT_EQ(read_text(folder / "a"), expected + std::string("\1\0\0\0\2\0\0\0", 8));
}

TEST(AtomicFile, TwoWritersOfOneTargetDoNotMeet) {
  const TempFolder folder;
  AtomicFile first(folder / "a"), second(folder / "a");
  first.write("first");
  second.write("second");
  second.commit();
  first.commit();
  EXPECT_EQ(read_text(folder / "a"), "first");
}

TEST(AtomicFile, NameOfFullLengthWorks) {
  const TempFolder folder;
  write_file(folder / std::string(255, 'n'), "x");
  EXPECT_TRUE(fs::exists(folder / std::string(255, 'n')));
}

TEST(AtomicFile, RelativeNameWithoutAFolderWorks) {
  const TempFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  write_file("plain.txt", "x");
  fs::current_path(before);
  EXPECT_EQ(read_text(folder / "plain.txt"), "x");
}

TEST(AtomicFile, RefusesADirectoryAndAMissingFolder) {
  const TempFolder folder;
  expect_data_error([&] { AtomicFile file(folder.path()); }, "is a directory");
  expect_data_error([&] { AtomicFile file(folder / "sub/"); }, "is a directory");
  const auto missing = [&] { AtomicFile(folder.path() / "no" / "a"); };
  expect_data_error(missing, "folder does not exist");
  EXPECT_NE(hint_of(missing).find("mkdir -p"), std::string::npos);
}

TEST(AtomicFile, SaysWhenThereIsNoPermission) {
  const TempFolder folder;
  fs::permissions(folder.path(),
                  fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_exec);
  const WithoutRoot nobody;
  expect_data_error([&] { AtomicFile file(folder / "a"); }, "no permission to write");
}

TEST(AtomicFile, DiskFullIsSaidAndLeavesNothing) {
  const TempFolder folder;
  const fs::path disk = folder / "disk";
  fs::create_directory(disk);
  if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=64k") != 0)
    GTEST_SKIP() << "a small disk cannot be mounted here";
  const std::string text(1 << 20, 'x');
  expect_data_error([&] { write_file(disk / "a", text); }, "disk full");
  EXPECT_EQ(entries(disk), 0);
  ASSERT_EQ(::umount(disk.c_str()), 0);
}

TEST(AtomicFile, SizeLimitIsSaidAndLeavesNothing) {
  const TempFolder folder;
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{4096, old.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  expect_data_error([&] { write_file(folder / "a", std::string(10'000, 'x')); }, "file too large");
  ::setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(entries(folder.path()), 0);
}

TEST(AtomicFolder, AppearsWholeAtCommit) {
  const TempFolder folder;
  AtomicFolder out(folder / "out/", false);
  write_text(out.path() / "a", "1");
  write_text(out.path() / "sub" / "b", "2");
  EXPECT_FALSE(fs::exists(folder / "out"));
  out.commit();
  EXPECT_EQ(read_text(folder / "out/a"), "1");
  EXPECT_EQ(read_text(folder / "out/sub/b"), "2");
  EXPECT_EQ(entries(folder.path()), 1);
}

TEST(AtomicFolder, WithoutCommitNothingIsLeft) {
  const TempFolder folder;
  {
    AtomicFolder out(folder / "out", false);
    write_text(out.path() / "a", "1");
  }
  EXPECT_EQ(entries(folder.path()), 0);
}

TEST(AtomicFolder, ExistingTargetIsRefusedWithTheOption) {
  const TempFolder folder;
  fs::create_directory(folder / "out");
  const auto open = [&] { AtomicFolder(folder / "out", false); };
  expect_data_error(open, "already exists");
  EXPECT_EQ(hint_of(open), "pass --overwrite to replace it");
  EXPECT_EQ(entries(folder.path()), 1);
}

TEST(AtomicFolder, TargetThatAppearsMeanwhileIsRefused) {
  const TempFolder folder;
  AtomicFolder out(folder / "out", false);
  write_text(folder / "out" / "theirs", "x");
  expect_data_error([&] { out.commit(); }, "already exists");
  EXPECT_TRUE(fs::exists(folder / "out/theirs"));
}

TEST(AtomicFolder, OverwriteReplacesAtCommitOnly) {
  const TempFolder folder;
  write_text(folder / "out" / "old", "1");
  {
    AtomicFolder out(folder / "out", true);
    write_text(out.path() / "new", "2");
    EXPECT_TRUE(fs::exists(folder / "out/old"));
  }
  EXPECT_TRUE(fs::exists(folder / "out/old"));
  AtomicFolder out(folder / "out", true);
  write_text(out.path() / "new", "2");
  out.commit();
  EXPECT_FALSE(fs::exists(folder / "out/old"));
  EXPECT_EQ(read_text(folder / "out/new"), "2");
  EXPECT_EQ(entries(folder.path()), 1);
}

TEST(AtomicFolder, OverwriteOfNothingAndOfAFileWork) {
  const TempFolder folder;
  AtomicFolder(folder / "fresh", true).commit();
  EXPECT_TRUE(fs::is_directory(folder / "fresh"));
  write_text(folder / "file", "x");
  AtomicFolder(folder / "file", true).commit();
  EXPECT_TRUE(fs::is_directory(folder / "file"));
  EXPECT_EQ(entries(folder.path()), 2);
}

TEST(AtomicFolder, OverwriteNeverDeletesAFolderOfFolders) {
  const TempFolder folder;
  write_text(folder / "home" / "documents" / "thesis", "x");
  expect_data_error([&] { AtomicFolder(folder / "home", true); }, "holds the folder 'documents'");
  EXPECT_TRUE(fs::exists(folder / "home/documents/thesis"));
}

TEST(AtomicFolder, RefusesLinksAndNamelessTargets) {
  const TempFolder folder;
  fs::create_directory(folder / "real");
  fs::create_symlink(folder / "real", folder / "link");
  expect_data_error([&] { AtomicFolder(folder / "link", true); }, "is a link");
  for (const char* name : {".", "..", "/", "", "x/.."})
    expect_data_error([&] { AtomicFolder(name, true); }, "is not a name for an output");
}

TEST(CheckOutput, RefusesWhatExistsUnlessToldTo) {
  const TempFolder folder;
  check_output(folder / "z.npy", false);
  write_text(folder / "z.npy", "x");
  expect_data_error([&] { check_output(folder / "z.npy", false); }, "already exists");
  check_output(folder / "z.npy", true);
}

TEST(MemoryLimit, IsPlausible) {
  EXPECT_GT(memory_limit(), int64_t{64} << 20);
  EXPECT_LT(memory_limit(), int64_t{1} << 50);
}

}  // namespace
}  // namespace gs::test
