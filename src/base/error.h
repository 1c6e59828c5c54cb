// Error reporting. A user's mistake (bad data, wrong usage, an interrupt) is a gs::Error: one line,
// a place and a hint. A bug is a failed GS_ASSERT: an Error of kind `internal` that names the
// source file and line. The library never prints, aborts or exits; only cli/main.cpp catches errors
// and turns the kind into an exit code.
#pragma once

#include <fmt/format.h>

#include <exception>
#include <string>
#include <string_view>

namespace gs {

// The values are the exit codes.
enum class ErrorKind { internal = 1, usage = 2, data = 3, interrupted = 4 };

class Error : public std::exception {
 public:
  // `where` is a file, "file:row", "file[member]" or an option's name; it and `hint` may be empty.
  Error(ErrorKind kind, std::string message, std::string where = {}, std::string hint = {});

  // "where: message", without the hint.
  const char* what() const noexcept override { return line_.c_str(); }
  ErrorKind kind() const { return kind_; }
  int exit_code() const { return static_cast<int>(kind_); }
  const std::string& message() const { return message_; }
  const std::string& where() const { return where_; }
  const std::string& hint() const { return hint_; }

 private:
  ErrorKind kind_;
  std::string message_, where_, hint_, line_;
};

// Throw a bad-data or wrong-usage error. Control characters in any part are replaced, so that a
// hostile file cannot write to a terminal.
[[noreturn]] void fail_data(std::string where, std::string message, std::string hint = {});
[[noreturn]] void fail_usage(std::string where, std::string message, std::string hint = {});
[[noreturn]] void fail_assertion(const char* condition, const char* file, int line);

// `text` cut to `limit` bytes and free of control characters: for quoting file contents in a
// message.
std::string printable(std::string_view text, size_t limit = 60);

}  // namespace gs

#define GS_ASSERT(condition)                                                \
  do {                                                                      \
    if (!(condition)) ::gs::fail_assertion(#condition, __FILE__, __LINE__); \
  } while (false)
