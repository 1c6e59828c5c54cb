#include "base/options.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace gs {

namespace {

template <class... F>
struct Overload : F... {
  using F::operator()...;
};
template <class... F>
Overload(F...) -> Overload<F...>;

[[noreturn]] void fail_value(const Option& option, std::string_view text, std::string_view wanted,
                             const std::string& where = {}) {
  fail_usage(where.empty() ? option.flag() : where + ", " + option.name,
             fmt::format("'{}' is not {}", printable(text), wanted), option.help);
}

std::string joined(const std::vector<int64_t>& values) {
  return fmt::format("{}", fmt::join(values, ","));
}

int64_t to_integer(const Option& option, std::string_view text) {
  const auto value = parse_integer(text);
  if (!value) fail_value(option, text, "a whole number");
  return *value;
}

void check_choice(const Option& option, std::string_view text) {
  if (option.choices.empty()) return;
  std::vector<std::string> known;
  for (const Choice& choice : option.choices) known.push_back(choice.name);
  if (std::find(known.begin(), known.end(), text) == known.end())
    fail_unknown(option.flag(), text, known);
}

// More than these are too many for one line of help.
constexpr size_t kShownChoices = 6;

std::string joined_names(const std::vector<Choice>& choices) {
  if (choices.size() > kShownChoices) return "NAME";
  std::string out;
  for (const Choice& choice : choices) out += (out.empty() ? "" : "|") + choice.name;
  return out;
}

}  // namespace

std::string Option::flag() const { return (name.size() == 1 ? "-" : "--") + name; }

std::string Option::text() const {
  return std::visit(Overload{[](const bool* v) { return std::string(*v ? "true" : "false"); },
                             [](const int64_t* v) { return std::to_string(*v); },
                             [](const double* v) { return fmt::format("{}", *v); },
                             [](const std::string* v) { return *v; },
                             [](const std::vector<int64_t>* v) { return joined(*v); },
                             [](const EnumField& v) { return v.get(); }},
                    field);
}

void Option::set(std::string_view text) {
  std::visit(Overload{[&](bool* v) {
                        if (text == "true" || text == "yes" || text == "1") *v = true;
                        else if (text == "false" || text == "no" || text == "0") *v = false;
                        else fail_value(*this, text, "true or false");
                      },
                      [&](int64_t* v) { *v = to_integer(*this, text); },
                      [&](double* v) {
                        const auto value = parse_number(text);
                        if (!value || !std::isfinite(*value)) fail_value(*this, text, "a number");
                        *v = *value;
                      },
                      [&](std::string* v) {
                        check_choice(*this, text);
                        *v = text;
                      },
                      [&](std::vector<int64_t>* v) {
                        std::vector<int64_t> values;
                        for (size_t begin = 0; begin <= text.size();) {
                          const size_t end = std::min(text.find(',', begin), text.size());
                          values.push_back(to_integer(*this, text.substr(begin, end - begin)));
                          begin = end + 1;
                        }
                        *v = std::move(values);
                      },
                      [&](EnumField& v) { v.set(text); }},
             field);
  check();
}

void Option::set(const nlohmann::json& value, const std::string& where) {
  const auto wrong = [&](std::string_view wanted) {
    fail_value(*this, value.dump(), wanted, where);
  };
  std::visit(Overload{[&](bool* v) {
                        if (!value.is_boolean()) wrong("true or false");
                        *v = value.get<bool>();
                      },
                      [&](int64_t* v) {
                        if (!value.is_number_integer()) wrong("a whole number");
                        *v = value.get<int64_t>();
                      },
                      [&](double* v) {
                        if (!value.is_number()) wrong("a number");
                        *v = value.get<double>();
                      },
                      [&](std::string* v) {
                        if (!value.is_string()) wrong("a text");
                        check_choice(*this, value.get<std::string>());
                        *v = value.get<std::string>();
                      },
                      [&](std::vector<int64_t>* v) {
                        if (!value.is_array()) wrong("a list of whole numbers");
                        std::vector<int64_t> values;
                        for (const auto& item : value) {
                          if (!item.is_number_integer()) wrong("a list of whole numbers");
                          values.push_back(item.get<int64_t>());
                        }
                        *v = std::move(values);
                      },
                      [&](EnumField& v) {
                        if (!value.is_string()) wrong("one of " + type_name());
                        v.set(value.get<std::string>());
                      }},
             field);
  check();
}

nlohmann::json Option::json() const {
  return std::visit(Overload{[](const EnumField& v) { return nlohmann::json(v.get()); },
                             [](const auto* v) { return nlohmann::json(*v); }},
                    field);
}

std::string Option::type_name() const {
  return std::visit(Overload{[](const bool*) { return std::string(); },
                             [](const int64_t*) { return std::string("INT"); },
                             [](const double*) { return std::string("FLOAT"); },
                             [&](const std::string*) {
                               return choices.empty() ? std::string("TEXT") : joined_names(choices);
                             },
                             [](const std::vector<int64_t>*) { return std::string("INT,..."); },
                             [&](const EnumField&) { return joined_names(choices); }},
                    field);
}

std::string Option::long_help() const {
  std::string out = help;
  for (const Choice& choice : choices)
    if (!choice.about.empty()) out += fmt::format("\n  {}: {}", choice.name, choice.about);
  return out;
}

void Option::copy_value(const Option& other) {
  std::visit(Overload{[&](EnumField& v) { v.set(std::get<EnumField>(other.field).get()); },
                      [&](auto* v) { *v = *std::get<decltype(v)>(other.field); }},
             field);
}

void Option::check() const {
  const auto in_range = [&](double value) {
    // Models compute in single precision.
    if (!(std::abs(value) <= static_cast<double>(std::numeric_limits<float>::max())))
      fail_usage(flag(), fmt::format("{} is out of range: it must be at most 3.4e38", text()),
                 help);
    if ((minimum && value < *minimum) || (maximum && value > *maximum)) {
      const std::string range = minimum && maximum
                                    ? fmt::format("between {} and {}", *minimum, *maximum)
                                : minimum ? fmt::format("at least {}", *minimum)
                                          : fmt::format("at most {}", *maximum);
      fail_usage(flag(), fmt::format("{} is out of range: it must be {}", text(), range), help);
    }
  };
  if (const auto* v = std::get_if<int64_t*>(&field)) in_range(static_cast<double>(**v));
  if (const auto* v = std::get_if<double*>(&field)) in_range(**v);
  if (const auto* v = std::get_if<std::vector<int64_t>*>(&field))
    for (const int64_t item : **v) in_range(static_cast<double>(item));
}

Option* OptionList::find_option(std::string_view name) {
  for (auto& option : options_)
    if (option.name == name) return &option;
  return nullptr;
}

const Option* OptionList::find_option(std::string_view name) const {
  return const_cast<OptionList*>(this)->find_option(name);
}

const Option* OptionList::find_renamed(std::string_view name) const {
  for (const auto& option : options_)
    if (std::find(option.renamed.begin(), option.renamed.end(), name) != option.renamed.end())
      return &option;
  return nullptr;
}

OptionHandle OptionList::add(std::string name, std::string help, Option::Field field) {
  GS_ASSERT(!find_option(name));
  Option option;
  option.name = std::move(name);
  option.help = std::move(help);
  option.group = group_;
  option.field = std::move(field);
  options_.push_back(std::move(option));
  return OptionHandle(options_.back());
}

nlohmann::json OptionList::json() const {
  nlohmann::json out = nlohmann::json::object();
  for (const auto& option : options_) out[option.name] = option.json();
  return out;
}

void OptionList::set_json(const nlohmann::json& values, const std::string& where, bool given) {
  if (!values.is_object())
    fail_usage(where, "expected a JSON object of options", "as in {\"epochs\": 50}");
  for (const auto& [key, value] : values.items()) {
    Option* option = find_option(key);
    if (const Option* renamed = option ? nullptr : find_renamed(key))
      option = find_option(renamed->name);
    if (!option) {
      std::vector<std::string> known;
      for (const auto& o : options_) known.push_back(o.name);
      fail_unknown("option", key, known, where);
    }
    option->set(value, where);
    option->given = given;
  }
}

namespace {

std::string escaped_cell(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

}  // namespace

std::string OptionList::markdown() const {
  std::string out, group = "\n";
  for (const auto& option : options_) {
    if (option.group != group) {
      group = option.group;
      if (!group.empty()) out += fmt::format("\n### {}\n", group);
      out += "\n| option | value | default | meaning |\n|---|---|---|---|\n";
    }
    const std::string value = option.text(), type = option.type_name();
    std::string range;
    if (option.minimum && option.maximum)
      range = fmt::format(" ({} to {})", *option.minimum, *option.maximum);
    else if (option.minimum) range = fmt::format(" (at least {})", *option.minimum);
    else if (option.maximum) range = fmt::format(" (at most {})", *option.maximum);
    std::string meaning = escaped_cell(option.help);
    for (const Choice& choice : option.choices)
      if (!choice.about.empty())
        meaning += fmt::format("<br>`{}`: {}", choice.name, escaped_cell(choice.about));
    out += fmt::format("| `{}` | {}{} | {} | {} |\n", option.flag(),
                       escaped_cell(type.empty() ? "flag" : type), range,
                       value.empty() ? "" : "`" + value + "`", meaning);
  }
  return out;
}

}  // namespace gs
