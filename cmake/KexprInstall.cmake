# What `cmake --install` adds to the targets, and Debian packages of it all:
# `cpack -G DEB` in the build folder. Components: runtime, development, tools.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ ${PROJECT_BINARY_DIR}/include/
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
  FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE
  DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)

# For find_package.
include(CMakePackageConfigHelpers)
set(config ${PROJECT_BINARY_DIR}/cmake/kexprConfig)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/kexprConfig.cmake.in
  ${config}.cmake INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/kexpr)
write_basic_package_version_file(${config}Version.cmake
  COMPATIBILITY SameMajorVersion)
install(FILES ${config}.cmake ${config}Version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/kexpr COMPONENT development)

# For pkg-config. What is private is for the static library alone, but must be
# there for `--cflags` of the shared one, too. LLVM, where it is built in, is not
# named: such a library is for CMake.
set(requires_private)
set(libs_private)
if(TARGET kexpr_static)
  if(KEXPR_TBB)
    set(requires_private tbb)
  endif()
  set(libs_private "-Wl,-rpath,\${libdir}/kexpr -lstdc++ -lm -ldl -pthread")
endif()
file(RELATIVE_PATH to_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(${PROJECT_SOURCE_DIR}/cmake/kexpr.pc.in
  ${PROJECT_BINARY_DIR}/cmake/kexpr.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cmake/kexpr.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

if(PROJECT_IS_TOP_LEVEL)
  include(KexprDebian)
endif()
