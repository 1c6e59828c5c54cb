# Writes OUTPUT, a source file that holds every preset of presets/*.json as a raw string. Runs at build time.
cmake_minimum_required(VERSION 3.22)
file(GLOB files ${SOURCE}/*.json)
set(names "")
foreach(file ${files})
  file(READ ${file} text)
  string(JSON count LENGTH "${text}")
  math(EXPR last "${count} - 1")
  foreach(i RANGE ${last})
    string(JSON name MEMBER "${text}" ${i})
    string(JSON preset GET "${text}" ${name})
    if(name IN_LIST names)
      message(FATAL_ERROR "${file}: there is another preset '${name}'")
    endif()
    list(APPEND names ${name})
    string(JSON keys LENGTH "${preset}")
    math(EXPR last_key "${keys} - 1")
    foreach(k RANGE ${last_key})
      string(JSON key MEMBER "${preset}" ${k})
      if(NOT key MATCHES "^(origin|options)$")
        message(FATAL_ERROR "${file}, ${name}: unknown key '${key}'; a preset holds 'origin' and 'options'")
      endif()
    endforeach()
    string(JSON origin GET "${preset}" origin)
    string(JSON options GET "${preset}" options)
    set(row_${name} "      {\"${name}\", R\"gs(${origin})gs\", R\"gs(${options})gs\"},\n")
  endforeach()
endforeach()
list(SORT names)
set(rows "")
foreach(name ${names})
  string(APPEND rows "${row_${name}}")
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
