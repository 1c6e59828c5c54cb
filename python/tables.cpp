#include "tables.h"

#include "base/error.h"
#include "options/methods.h"
#include "options/preset.h"

namespace gs {

using nlohmann::json;

RunOptions run_options(const std::string& text) {
  RunOptions options;
  OptionList list = describe(options);
  list.set_json(json::parse(text), "", true);
  options.resolve(list, "", "");
  options.load.seed = options.train.seed;
  return options;
}

// Every option after the method's defaults and the protocol, as `train` would use them.
json resolved_options(const std::string& text) {
  RunOptions options = run_options(text);
  return describe(options).json();
}

std::string chosen_method(const std::vector<std::string>& given) {
  RunOptions options;
  OptionList list = describe(options);
  for (const std::string& name : given)
    if (Option* option = list.find_option(name)) option->given = true;
  options.choose_method(list);
  return options.method.method;
}

namespace {

json choices_of(const Option& option) {
  json out = json::array();
  for (const Choice& choice : option.choices)
    out.push_back({{"name", choice.name}, {"about", choice.about}});
  return out;
}

}  // namespace

json option_table() {
  RunOptions options;
  json rows = json::array();
  const OptionList list = describe(options);
  for (const Option& option : list.options()) {
    json row{{"name", option.name},
             {"help", option.help},
             {"group", option.group},
             {"default", option.json()},
             {"type", option.type_name()}};
    if (!option.choices.empty()) row["choices"] = choices_of(option);
    if (!option.renamed.empty()) row["renamed_from"] = option.renamed;
    if (option.minimum) row["minimum"] = *option.minimum;
    if (option.maximum) row["maximum"] = *option.maximum;
    if (option.tune)
      row["tune"] = {
          {"low", option.tune->low}, {"high", option.tune->high}, {"log", option.tune->log}};
    rows.push_back(std::move(row));
  }
  return rows;
}

json preset_table() {
  json out = json::object();
  for (const Preset& preset : presets())
    out[preset.name] = {{"origin", preset.origin}, {"options", json::parse(preset.options_json)}};
  return out;
}

namespace {

// The options that a method's row sets, with their values. A number that it sets to the default of
// all methods counts too: the method reads it, so that a search may vary it. To notice those, the
// row is applied to options whose numbers were all changed before.
json defaults_of(const MethodInfo& info) {
  RunOptions plain, own = default_options(info), moved;
  const OptionList before = describe(plain), after = describe(own);
  OptionList changed = describe(moved);
  std::vector<std::string> start;
  for (Option& option : changed.options()) {
    if (auto* const* whole = std::get_if<int64_t*>(&option.field)) **whole += 1;
    if (auto* const* number = std::get_if<double*>(&option.field)) **number += 1;
    start.push_back(option.text());
  }
  if (info.defaults) info.defaults(moved);
  json out = json::object();
  for (size_t i = 0; i < start.size(); ++i) {
    const Option& option = after.options()[i];
    const std::string end = changed.options()[i].text();
    const bool set = end != start[i] && end == option.text();
    if (option.name != "method" && (set || option.text() != before.options()[i].text()))
      out[option.name] = option.json();
  }
  return out;
}

}  // namespace

namespace {

const char* group_name(MethodGroup group) {
  switch (group) {
    case MethodGroup::ours:
      return "ours";
    case MethodGroup::supervised:
      return "supervised";
    case MethodGroup::self_supervised:
      return "self-supervised";
    case MethodGroup::reference:
      return "reference";
  }
  GS_ASSERT(!"method group");
}

}  // namespace

// The methods in the order of the table, which is also the order of columns and lists.
nlohmann::ordered_json method_table() {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  for (const MethodInfo& info : methods())
    out[std::string(info.name)] = {{"summary", info.about},
                                   {"group", group_name(info.group)},
                                   {"supervised", info.supervised()},
                                   {"trains", info.trains()},
                                   {"alias", info.alias},
                                   {"defaults", defaults_of(info)}};
  return out;
}

}  // namespace gs
