#include "base/error.h"

namespace gs {

namespace {

std::string one_line(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  return text;
}

}  // namespace

Error::Error(ErrorKind kind, std::string message, std::string where, std::string hint)
    : kind_(kind),
      message_(one_line(std::move(message))),
      where_(one_line(std::move(where))),
      hint_(one_line(std::move(hint))) {
  line_ = where_.empty() ? message_ : where_ + ": " + message_;
}

void fail_data(std::string where, std::string message, std::string hint) {
  throw Error(ErrorKind::data, std::move(message), std::move(where), std::move(hint));
}

void fail_usage(std::string where, std::string message, std::string hint) {
  throw Error(ErrorKind::usage, std::move(message), std::move(where), std::move(hint));
}

void fail_assertion(const char* condition, const char* file, int line) {
  throw Error(ErrorKind::internal, fmt::format("assertion failed: {}", condition),
              fmt::format("{}:{}", file, line),
              "this is a bug in graphsurgeon; please report it with the command that led here");
}

std::string printable(std::string_view text, size_t limit) {
  std::string out = one_line(std::string(text.substr(0, limit)));
  if (text.size() > limit) out += "...";
  return out;
}

}  // namespace gs
