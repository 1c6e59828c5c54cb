// Long because each way in which a server or a connection can fail has its case.
#include "dataset/download.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <stdexcept>

#include "base/checksums.h"
#include "support/files.h"

namespace gs {
namespace {

using test::expect_data_error;
using test::read_text;
using test::shared_data;
using test::TempFolder;
using test::write_text;

// A server of a small file under several addresses, each with its own vice. Requests are logged,
// one per line: method, path, Range and If-Range.
constexpr const char* kServer = R"(
import http.server, sys, time
BODY = bytes(range(256)) * 40
counts = {}
class Handler(http.server.BaseHTTPRequestHandler):
  protocol_version = 'HTTP/1.1'
  def log_message(self, *args): pass
  def send(self, status, body, headers={}, length=None):
    self.send_response(status)
    for key, value in headers.items(): self.send_header(key, value)
    self.send_header('Content-Length', str(len(body) if length is None else length))
    self.end_headers()
    self.wfile.write(body)
  def serve(self, cut=None, ranges=True, tag='"v1"'):
    wanted = self.headers.get('Range')
    headers = {'ETag': tag} if tag else {}
    begin = 0
    if ranges and wanted and self.headers.get('If-Range') == tag:
      begin = int(wanted[len('bytes='):].rstrip('-'))
      if begin >= len(BODY):
        return self.send(416, b'', {'Content-Range': 'bytes */%d' % len(BODY)})
      headers['Content-Range'] = 'bytes %d-%d/%d' % (begin, len(BODY) - 1, len(BODY))
    rest = BODY[begin:]
    self.send(206 if begin else 200, rest[:cut], headers, len(rest))
    if cut is not None and cut < len(rest): self.close_connection = True
  def do_GET(self):
    path = self.path
    counts[path] = counts.get(path, 0) + 1
    with open('log.txt', 'a') as log:
      log.write('GET %s %s %s\n' % (path, self.headers.get('Range', '-'), self.headers.get('If-Range', '-')))
    if path == '/good.bin': self.serve()
    elif path == '/cut.bin': self.serve(cut=4000)                                # goes on when asked for the rest
    elif path == '/cut_no_range.bin': self.serve(cut=4000, ranges=False)         # never gets further
    elif path == '/no_range.bin': self.serve(ranges=False)
    elif path == '/no_tag.bin': self.serve(tag=None, cut=4000 if counts[path] == 1 else None)
    elif path == '/changed.bin': self.serve(tag='"v2"')
    elif path == '/wrong_part.bin':
      self.send(206, BODY[5:], {'ETag': '"v1"', 'Content-Range': 'bytes 5-%d/%d' % (len(BODY) - 1, len(BODY))})
    elif path == '/first_half.bin' and counts[path] == 1:                        # though nobody asked for a part
      self.send(206, BODY[:5000], {'ETag': '"v1"', 'Content-Range': 'bytes 0-4999/%d' % len(BODY)})
    elif path == '/first_half.bin': self.serve()
    elif path == '/flaky.bin' and counts[path] < 3: self.send(503, b'busy')
    elif path == '/flaky.bin': self.serve()
    elif path == '/down.bin': self.send(500, b'oh')
    elif path == '/moved.bin': self.send(302, b'', {'Location': '/good.bin'})
    elif path == '/loop.bin': self.send(302, b'', {'Location': '/loop.bin'})
    elif path == '/to_file.bin': self.send(302, b'', {'Location': 'file:///etc/hostname'})
    elif path == '/page.bin': self.send(200, b'<html>log in first</html>', {'Content-Type': 'text/html; charset=utf-8'})
    elif path == '/empty.bin': self.send(200, b'')
    elif path == '/slow.bin':
      time.sleep(0.7)
      self.serve()
    else: self.send(404, b'<html>not here</html>', {'Content-Type': 'text/html'})
server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
)";

std::string body() {
  std::string out;
  for (int i = 0; i < 256 * 40; ++i) out += static_cast<char>(i % 256);
  return out;
}

class Server {
 public:
  Server() {
    write_text(folder_ / "server.py", kServer);
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    child_ = fork();
    if (child_ == 0) {
      dup2(ends[1], STDOUT_FILENO);
      close(ends[0]), close(ends[1]);
      if (chdir(folder_.path().c_str()) == 0)
        execl(GS_TEST_PYTHON, "python", "server.py", static_cast<char*>(nullptr));
      _exit(127);
    }
    close(ends[1]);
    FILE* out = fdopen(ends[0], "r");
    if (std::fscanf(out, "%d", &port_) != 1) port_ = 0;
    std::fclose(out);
    if (port_ == 0) stop(), throw std::runtime_error("the test server did not start");
  }
  ~Server() { stop(); }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  std::string log() const { return read_text(folder_ / "log.txt"); }
  void stop() {
    if (child_ <= 0) return;
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
    child_ = -1;
  }

 private:
  TempFolder folder_;
  pid_t child_ = -1;
  int port_ = 0;
};

class Download : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { setenv("no_proxy", "127.0.0.1", 1); }

  // Fetches https://data.example/NAME, from the local server, to toy/NAME.
  fs::path get(const std::string& name, bool overwrite = false) {
    const std::string url = "https://data.example/" + name, path = "toy/" + name;
    CatalogEntry entry{};
    entry.name = "toy", entry.title = "Toy";
    entry.paths = {path};
    entry.files = {{url, path}};
    return fetch(entry, {root_.path(), server_.url(), overwrite, std::chrono::milliseconds(20)});
  }
  fs::path file(const std::string& name) const { return root_.path() / "toy" / name; }
  void leave_part(const std::string& name, const std::string& text, const std::string& tag) {
    write_text(file(name + ".part"), text);
    if (!tag.empty()) write_text(file(name + ".part.tag"), tag);
  }
  void expect_only(const std::string& name) {  // no leftovers beside it
    for (const auto& entry : fs::directory_iterator(root_.path() / "toy"))
      EXPECT_EQ(entry.path().filename(), name);
  }

  TempFolder root_;
  Server server_;
};

TEST_F(Download, GetsAFile) {
  EXPECT_EQ(get("good.bin"), file("good.bin"));
  EXPECT_EQ(read_text(file("good.bin")), body());
  expect_only("good.bin");
}

TEST_F(Download, AFileOtherThanTheOneThatIsKnownIsSaid) {
  class Said final : public Progress {
   public:
    void start(std::string_view, int64_t, std::string_view) override {}
    void advance(int64_t) override {}
    void note(std::string_view) override {}
    void finish() override {}
    void say(std::string_view line) override { text += line; }
    std::string text;
  } said;
  CatalogEntry entry{};
  entry.name = "tolokers", entry.title = "Tolokers";
  entry.paths = {"tolokers.npz"};
  entry.files = {{"https://data.example/good.bin", "tolokers.npz"}};
  fetch(entry, {root_.path(), server_.url()}, said);
  EXPECT_NE(said.text.find("differs from the file that this version"), std::string::npos);
  if (shared_data().empty()) return;
  EXPECT_EQ(checksum_of(shared_data() / "tolokers.npz"), "f946fbcc8f021ccaeac5be74fcd4744a");
}

TEST_F(Download, LeavesAloneWhatIsThere) {
  write_text(file("good.bin"), "mine");
  EXPECT_EQ(get("good.bin"), file("good.bin"));
  EXPECT_EQ(read_text(file("good.bin")), "mine");
  EXPECT_EQ(server_.log(), "");
  get("good.bin", true);
  EXPECT_EQ(read_text(file("good.bin")), body());
}

TEST_F(Download, GetsOnlyWhatIsMissing) {
  write_text(file("good.bin"), "mine");
  CatalogEntry entry{};
  entry.name = "toy", entry.title = "Toy";
  entry.paths = {"toy/good.bin"};
  entry.files = {{"https://data.example/good.bin", "toy/good.bin"},
                 {"https://data.example/slow.bin", "toy/slow.bin"}};
  EXPECT_EQ(fetch(entry, {root_.path(), server_.url(), false}), file("good.bin"));
  EXPECT_EQ(read_text(file("good.bin")), "mine");
  EXPECT_EQ(read_text(file("slow.bin")), body());
}

TEST_F(Download, AFileUnderAnotherUsualNameIsFound) {
  write_text(root_ / "elsewhere.bin", "mine");
  CatalogEntry entry{};
  entry.name = "toy", entry.title = "Toy";
  entry.paths = {"toy/good.bin", "elsewhere.bin"};
  entry.files = {{"https://data.example/good.bin", "toy/good.bin"}};
  EXPECT_EQ(fetch(entry, {root_.path(), server_.url(), false}), root_ / "elsewhere.bin");
  EXPECT_EQ(server_.log(), "");
}

TEST_F(Download, ResumesAPartialFile) {
  leave_part("good.bin", body().substr(0, 1000), "\"v1\"");
  get("good.bin");
  EXPECT_EQ(read_text(file("good.bin")), body());
  EXPECT_EQ(server_.log(), "GET /good.bin bytes=1000- \"v1\"\n");
  expect_only("good.bin");
}

TEST_F(Download, ABrokenConnectionIsTakenUpAgain) {
  get("cut.bin");
  EXPECT_EQ(read_text(file("cut.bin")), body());
  EXPECT_EQ(server_.log(),
            "GET /cut.bin - -\nGET /cut.bin bytes=4000- \"v1\"\nGET /cut.bin bytes=8000- \"v1\"\n");
  expect_only("cut.bin");
}

TEST_F(Download, StartsAnewWhereTheServerIgnoresRanges) {
  leave_part("no_range.bin", "xxxxxxxx", "\"v1\"");
  get("no_range.bin");
  EXPECT_EQ(read_text(file("no_range.bin")), body());
}

TEST_F(Download, StartsAnewWhereTheFileHasChanged) {
  leave_part("changed.bin", "xxxxxxxx", "\"v1\"");
  get("changed.bin");
  EXPECT_EQ(read_text(file("changed.bin")), body());
}

TEST_F(Download, StartsAnewWhereNothingTellsTheVersion) {
  leave_part("good.bin", "xxxxxxxx", "");
  get("good.bin");
  EXPECT_EQ(read_text(file("good.bin")), body());
  EXPECT_EQ(server_.log(), "GET /good.bin - -\n");
  get("no_tag.bin");
  EXPECT_EQ(read_text(file("no_tag.bin")), body());
}

TEST_F(Download, StartsAnewWhereThePartIsTooLong) {
  leave_part("good.bin", body() + "more", "\"v1\"");
  get("good.bin");
  EXPECT_EQ(read_text(file("good.bin")), body());
}

TEST_F(Download, RefusesAPartThatWasNotAskedFor) {
  leave_part("wrong_part.bin", body().substr(0, 100), "\"v1\"");
  expect_data_error([&] { get("wrong_part.bin"); }, "another part of the file");
  EXPECT_FALSE(fs::exists(file("wrong_part.bin")));
  EXPECT_FALSE(fs::exists(file("wrong_part.bin.part")));
}

TEST_F(Download, APartIsNotTakenForTheWhole) {
  get("first_half.bin");
  EXPECT_EQ(read_text(file("first_half.bin")), body());
  EXPECT_EQ(server_.log(), "GET /first_half.bin - -\nGET /first_half.bin bytes=5000- \"v1\"\n");
}

TEST_F(Download, KeepsThePartWhenTheConnectionKeepsBreaking) {
  try {
    get("cut_no_range.bin");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("the connection was interrupted"), std::string::npos)
        << error.what();
    EXPECT_NE(error.hint().find("cut_no_range.bin.part keeps what has arrived"), std::string::npos)
        << error.hint();
  }
  EXPECT_FALSE(fs::exists(file("cut_no_range.bin")));
  EXPECT_EQ(read_text(file("cut_no_range.bin.part")), body().substr(0, 4000));
}

TEST_F(Download, TriesAgainWhenTheServerIsBusy) {
  get("flaky.bin");
  EXPECT_EQ(read_text(file("flaky.bin")), body());
}

TEST_F(Download, GivesUpWhenTheServerStaysDown) {
  expect_data_error([&] { get("down.bin"); }, "the server answered 500 (trouble at the server)");
  EXPECT_TRUE(fs::is_empty(root_.path() / "toy"));
}

TEST_F(Download, AMissingFileIsSaidOnceWithWhatToDo) {
  const std::string line =
      expect_data_error([&] { get("absent.bin"); }, "the server answered 404 (not found)");
  EXPECT_NE(line.find(server_.url() + "/absent.bin"), std::string::npos) << line;
  EXPECT_EQ(server_.log(), "GET /absent.bin - -\n");
  EXPECT_FALSE(fs::exists(file("absent.bin")));
  EXPECT_FALSE(fs::exists(file("absent.bin.part")));
}

TEST_F(Download, FollowsRedirects) {
  get("moved.bin");
  EXPECT_EQ(read_text(file("moved.bin")), body());
}

TEST_F(Download, DoesNotFollowThemForEverOrToAnotherScheme) {
  expect_data_error([&] { get("loop.bin"); }, "redirects too many times");
  expect_data_error([&] { get("to_file.bin"); }, "not https");
  EXPECT_FALSE(fs::exists(file("to_file.bin")));
}

TEST_F(Download, AWebPageIsNotTheFile) {
  expect_data_error([&] { get("page.bin"); }, "a web page instead of the file");
  EXPECT_FALSE(fs::exists(file("page.bin")));
  expect_data_error([&] { get("empty.bin"); }, "an empty file");
  EXPECT_FALSE(fs::exists(file("empty.bin")));
}

TEST_F(Download, WaitsForASlowStart) {
  get("slow.bin");
  EXPECT_EQ(read_text(file("slow.bin")), body());
}

TEST_F(Download, AServerOutOfReachIsSaidAndThePartKept) {
  leave_part("good.bin", body().substr(0, 1000), "\"v1\"");
  server_.stop();
  expect_data_error([&] { get("good.bin"); }, "the server cannot be reached");
  EXPECT_EQ(read_text(file("good.bin.part")), body().substr(0, 1000));
}

TEST_F(Download, TwoFetchesDoNotWriteIntoOneFile) {
  leave_part("good.bin", "x", "");
  const int other = open(file("good.bin.part").c_str(), O_RDWR);
  ASSERT_EQ(flock(other, LOCK_EX), 0);
  expect_data_error([&] { get("good.bin"); }, "is being written by another fetch");
  close(other);
  get("good.bin");
  EXPECT_EQ(read_text(file("good.bin")), body());
}

TEST_F(Download, AFolderThatCannotBeMadeIsSaid) {
  write_text(root_ / "toy", "a file where the folder should be");
  expect_data_error([&] { get("good.bin"); }, "cannot be written");
}

TEST_F(Download, WhatIsNotTheDatasetIsSaid) {
  CatalogEntry entry{};
  entry.name = "toy", entry.title = "Toy";
  entry.paths = {"toy/another.bin"};
  entry.files = {{"https://data.example/good.bin", "toy/good.bin"}};
  expect_data_error(
      [&] {
        fetch(entry, {root_.path(), server_.url(), false});
      },
      "are not those of Toy");
}

TEST(Fetch, WhereABrowserIsNeededTheHintHasPageAndFolder) {
  const TempFolder root;
  CatalogEntry entry{};
  entry.name = "flickr", entry.title = "Flickr", entry.page = "https://pages.example/flickr";
  entry.paths = {"flickr"};
  entry.files = {{"", "flickr/adj_full.npz"}, {"", "flickr/feats.npy"}};
  try {
    fetch(entry, {root.path(), "", false});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
    EXPECT_EQ(error.hint(),
              "open https://pages.example/flickr and put adj_full.npz, feats.npy into " +
                  (root / "flickr").string());
  }
}

TEST(Fetch, OnlyHttpsUnlessAMirrorSaysHttp) {
  const TempFolder root;
  CatalogEntry entry{};
  entry.name = "toy", entry.title = "Toy";
  entry.paths = {"toy.bin"};
  entry.files = {{"http://data.example/toy.bin", "toy.bin"}};
  const auto refused = [&](const std::string& mirror) {
    try {
      fetch(entry, {root.path(), mirror, false});
    } catch (const Error& error) {
      return error.kind() == ErrorKind::usage;
    }
    return false;
  };
  EXPECT_TRUE(refused(""));
  EXPECT_TRUE(refused("ftp://mirror.example"));
  EXPECT_TRUE(refused("file:///etc"));
}

TEST(Fetch, AnArchiveThatLiesThereIsUnpacked) {
  const TempFolder root;
  fs::create_directory(root / "toy");
  test::run_python(root / "toy", "zipfile.ZipFile('toy.zip', 'w').writestr('toy.bin', 'inside')\n");
  CatalogEntry entry{};
  entry.name = "toy", entry.title = "Toy";
  entry.paths = {"toy/toy.bin"};
  entry.files = {{"https://data.example/toy.zip", "toy/toy.zip"}};
  EXPECT_EQ(fetch(entry, {root.path(), "", false}), root / "toy" / "toy.bin");
  EXPECT_EQ(read_text(root / "toy" / "toy.bin"), "inside");
  EXPECT_FALSE(fs::exists(root / "toy" / "toy.zip"));
}

TEST_F(Download, AFetchedFileThatIsNotTheDatasetGoesAndTheOldOneComesBack) {
  CatalogEntry entry{};
  entry.name = "toy", entry.title = "Toy";
  entry.paths = {"toy/good.bin"};
  entry.files = {{"https://data.example/good.bin", "toy/good.bin"}};
  FetchOptions options{root_.path(), server_.url(), false};
  options.check = [] { fail_data("toy", "is garbage", "fetch again"); };
  expect_data_error([&] { fetch(entry, options); }, "is garbage");
  EXPECT_FALSE(fs::exists(file("good.bin")));
  write_text(file("good.bin"), "old");
  options.overwrite = true;
  expect_data_error([&] { fetch(entry, options); }, "is garbage");
  EXPECT_EQ(read_text(file("good.bin")), "old");
  expect_only("good.bin");
  options.check = [] {};
  fetch(entry, options);
  EXPECT_EQ(read_text(file("good.bin")), body());
  expect_only("good.bin");
}

TEST_F(Download, ALinkAtThePartIsNotFollowed) {
  write_text(root_ / "precious", "x");
  fs::create_directories(root_ / "toy");
  fs::create_symlink(root_ / "precious", file("good.bin.part"));
  expect_data_error([&] { get("good.bin"); }, "is a link");
  EXPECT_EQ(read_text(root_ / "precious"), "x");
}

TEST_F(Download, AServerThatSendsTooMuchIsRefused) {
  CatalogEntry entry{};
  entry.name = "toy", entry.title = "Toy";
  entry.paths = {"toy/good.bin"};
  entry.files = {{"https://data.example/good.bin", "toy/good.bin"}};
  FetchOptions options{root_.path(), server_.url(), false};
  options.most_bytes = 1000;
  expect_data_error([&] { fetch(entry, options); }, "sends more than");
  EXPECT_FALSE(fs::exists(file("good.bin")));
}

}  // namespace
}  // namespace gs
