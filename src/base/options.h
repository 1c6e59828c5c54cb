// An option is declared once, in its struct's describe(): name, field, help, and after it the
// range, the search range of the tuner, or the group. The command line, options.json, presets,
// --help and docs/options.md all read that one declaration through the OptionList below.
//
//   struct NeighborOptions {
//     std::vector<int64_t> fanouts{10, 10};
//     void describe(OptionList& v) { v("fanouts", fanouts, "neighbours kept per layer; -1 keeps
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

struct EnumField {  // an enum field, seen as its name
  std::function<std::string()> get;
  std::function<void(std::string_view)> set;
  std::vector<std::string> choices;
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
  std::optional<double> minimum, maximum;
  std::optional<TuneRange> tune;
  bool given =
      false;  // set by the user (command line or config), as opposed to a default or a preset

  std::string flag() const;         // "--name", or "-k" for a single letter
  std::string text() const;         // the value now, as one would type it
  void set(std::string_view text);  // usage error when it does not parse or is out of range
  void set(const nlohmann::json& value, const std::string& where);
  nlohmann::json json() const;
  std::string type_name() const;  // "INT", "FLOAT", "TEXT", "INTS" or "a|b|c", for help
  void check() const;             // range of the present value
};

class OptionHandle {
 public:
  explicit OptionHandle(Option& option) : option_(option) {}
  OptionHandle& at_least(double v) { return option_.minimum = v, *this; }
  OptionHandle& at_most(double v) { return option_.maximum = v, *this; }
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
          [&field, table, name](std::string_view v) { field = find(table, v, "--" + name).value; },
          names(table)};
      return add(std::move(name), std::move(help), std::move(choice));
    } else {
      return add(std::move(name), std::move(help), &field);
    }
  }
  void group(std::string name) {
    group_ = std::move(name);
  }  // heading for the options declared after it

  std::vector<Option>& options() { return options_; }
  const std::vector<Option>& options() const { return options_; }
  Option* find_option(std::string_view name);

  nlohmann::json json() const;
  // Sets what `values` holds; an unknown key is a usage error with the nearest name. `given` marks
  // them as the user's.
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
