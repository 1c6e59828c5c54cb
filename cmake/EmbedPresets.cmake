# Writes OUTPUT, a source file that holds every presets/*.json as a raw string. Runs at build time.
file(GLOB files ${SOURCE}/*.json)
list(SORT files)
set(rows "")
foreach(file ${files})
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} text)
  string(JSON count LENGTH "${text}")
  math(EXPR last "${count} - 1")
  foreach(i RANGE ${last})
    string(JSON key MEMBER "${text}" ${i})
    if(NOT key MATCHES "^(origin|options)$")
      message(FATAL_ERROR "${file}: unknown key '${key}'; a preset holds 'origin' and 'options'")
    endif()
  endforeach()
  string(JSON origin GET "${text}" origin)
  string(JSON options GET "${text}" options)
  string(APPEND rows "      {\"${name}\", R\"gs(${origin})gs\", R\"gs(${options})gs\"},\n")
endforeach()
file(WRITE ${OUTPUT}.new "#include \"options/preset.h\"\n
namespace gs {\n
std::span<const Preset> presets() {
  static const std::vector<Preset> all{
${rows}  };
  return all;
}\n
}  // namespace gs\n")
file(COPY_FILE ${OUTPUT}.new ${OUTPUT} ONLY_IF_DIFFERENT)
