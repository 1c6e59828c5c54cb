# `cmake --install build` installs headers, both shared libraries, the program and graphsurgeonConfig.cmake. Another
# project can then call find_package(graphsurgeon) and link graphsurgeon::graphsurgeon, or only the torch-free part:
# find_package(graphsurgeon COMPONENTS data) and graphsurgeon::graphsurgeon_data.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The run path is the same in the build tree. CMake would pad one that it changes on installation with empty entries,
# which mean the current folder: a library that lies there would be loaded.
set(GS_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/graphsurgeon)
foreach(target graphsurgeon_data graphsurgeon)
  target_include_directories(${target} INTERFACE
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/graphsurgeon>)
  target_compile_features(${target} INTERFACE cxx_std_20)
  set_target_properties(${target} PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN;${GS_TORCH_LIB_DIR}")
  install(TARGETS ${target} EXPORT ${target}Targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT ${target}Targets NAMESPACE graphsurgeon:: DESTINATION ${GS_CMAKE_DIR})
endforeach()
set_target_properties(graphsurgeon_cli PROPERTIES BUILD_WITH_INSTALL_RPATH ON
  INSTALL_RPATH "$ORIGIN;$ORIGIN/../${CMAKE_INSTALL_LIBDIR};${GS_TORCH_LIB_DIR}")
install(TARGETS graphsurgeon_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY src/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/graphsurgeon
  FILES_MATCHING PATTERN "*.h" PATTERN "cli" EXCLUDE)

configure_package_config_file(cmake/graphsurgeonConfig.cmake.in graphsurgeonConfig.cmake
  INSTALL_DESTINATION ${GS_CMAKE_DIR})
write_basic_package_version_file(graphsurgeonConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/graphsurgeonConfig.cmake ${PROJECT_BINARY_DIR}/graphsurgeonConfigVersion.cmake
  DESTINATION ${GS_CMAKE_DIR})
