// An option is declared once, in its struct's describe(): name, field, help, and after it the
// range, the search range of the tuner, or the group. The command line, options.json, presets,
// --help and docs/options.md all read that one declaration through the OptionList below.
//
//   struct NeighborOptions {
//     std::vector<int64_t> fanouts{10, 10};
//     void describe(OptionList& v) { v("fanouts", fanouts, "neighbors kept per layer; -1 keeps
//     all"); }
//   };
//
// The list holds pointers to the struct's fields: the struct must outlive it and stay where it is.
// An enum is an option when its names are found by argument-dependent lookup: `std::span<const
// Named<E>> names_of(E)`.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/registry.h"

namespace gs {

// An enum field, seen as its name.
struct EnumField {
  std::function<std::string()> get;
  std::function<void(std::string_view)> set;
};

struct TuneRange {
  double low = 0, high = 0;
  bool log = false;
};

struct Option {
  using Field =
      std::variant<bool*, int64_t*, double*, std::string*, std::vector<int64_t>*, EnumField>;

  std::string name, help, group;
  Field field;
  std::vector<Choice> choices;       // the values it takes; empty: any of its type
  std::vector<std::string> renamed;  // names it had before, which JSON may still use
  std::optional<double> minimum, maximum;
  std::optional<TuneRange> tune;
  // Set by the user (command line or config), as opposed to a default or a preset.
  bool given = false;

  std::string flag() const;         // "--name", or "-k" for a single letter
  std::string text() const;         // the value now, as one would type it
  void set(std::string_view text);  // usage error when it does not parse or is out of range
  void set(const nlohmann::json& value, const std::string& where);
  void copy_value(const Option& other);  // of the same type
  nlohmann::json json() const;
  std::string type_name() const;  // "INT", "FLOAT", "TEXT", "INT,..." or "a|b|c", for help
  std::string long_help() const;  // the help, then one line per choice
  void check() const;             // range of the present value
};

class OptionHandle {
 public:
  explicit OptionHandle(Option& option) : option_(option) {}
  OptionHandle& at_least(double v) { return option_.minimum = v, *this; }
  OptionHandle& at_most(double v) { return option_.maximum = v, *this; }
  // The values that a text takes.
  OptionHandle& one_of(std::vector<Choice> choices) {
    return option_.choices = std::move(choices), *this;
  }
  // A name that it had before: JSON may still use it, the command line names the new one.
  OptionHandle& renamed(std::string name) {
    return option_.renamed.push_back(std::move(name)), *this;
  }
  OptionHandle& tune(double low, double high) {
    return option_.tune = TuneRange{low, high, false}, *this;
  }
  OptionHandle& tune_log(double low, double high) {
    return option_.tune = TuneRange{low, high, true}, *this;
  }

 private:
  Option& option_;
};

class OptionList {
 public:
  template <class T>
  OptionHandle operator()(std::string name, T& field, std::string help) {
    if constexpr (std::is_enum_v<T>) {
      const auto table = names_of(T{});
      EnumField choice{
          [&field, table] { return std::string(name_of(table, field)); },
          [&field, table, name](std::string_view v) { field = find(table, v, "--" + name).value; }};
      return add(std::move(name), std::move(help), std::move(choice)).one_of(choices_of(table));
    } else {
      return add(std::move(name), std::move(help), &field);
    }
  }
  // The heading of the options declared after it.
  void group(std::string name) { group_ = std::move(name); }

  std::vector<Option>& options() { return options_; }
  const std::vector<Option>& options() const { return options_; }
  Option* find_option(std::string_view name);
  const Option* find_option(std::string_view name) const;
  // The option that had this name before, or nullptr.
  const Option* find_renamed(std::string_view name) const;

  nlohmann::json json() const;
  // Sets what `values` holds, by the names of today or of before; an unknown key is a usage error
  // with the nearest name. `given` marks them as the user's.
  void set_json(const nlohmann::json& values, const std::string& where, bool given);
  std::string markdown() const;  // a table for docs/options.md

 private:
  OptionHandle add(std::string name, std::string help, Option::Field field);

  std::string group_;
  std::vector<Option> options_;
};

template <class Struct>
OptionList describe(Struct& options) {
  OptionList list;
  options.describe(list);
  return list;
}

}  // namespace gs
