# cmake --install: the program with its manual pages and completion, the library for
# find_package(dalaup) and pkg-config, the Python package. cpack makes packages of the same.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/dalaup)

install(DIRECTORY include/dalaup DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library)
install(TARGETS dalaup_shared EXPORT dalaup-targets COMPONENT library)
install(TARGETS dalaup_static EXPORT dalaup-static COMPONENT library)
foreach(set dalaup-targets dalaup-static)
  install(EXPORT ${set} NAMESPACE dalaup:: DESTINATION ${package_folder} COMPONENT library)
endforeach()
write_basic_package_version_file(dalaup-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/dalaup-config.cmake ${PROJECT_BINARY_DIR}/dalaup-config-version.cmake
        DESTINATION ${package_folder} COMPONENT library)
file(RELATIVE_PATH up_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/dalaup.pc.in dalaup.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/dalaup.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)

if(DALAUP_PROGRAM)
  set(made ${PROJECT_BINARY_DIR}/made)
  add_custom_command(
    OUTPUT ${made}/man/dalaup.1 ${made}/bash/dalaup ${made}/zsh/_dalaup
    COMMAND ${PROJECT_SOURCE_DIR}/tools/man_pages $<TARGET_FILE:dalaup> ${made}/man
    COMMAND ${CMAKE_COMMAND} -E make_directory ${made}/bash ${made}/zsh
    COMMAND dalaup completion bash > ${made}/bash/dalaup
    COMMAND dalaup completion zsh > ${made}/zsh/_dalaup
    DEPENDS dalaup ${PROJECT_SOURCE_DIR}/tools/man_pages VERBATIM)
  add_custom_target(man_pages ALL DEPENDS ${made}/man/dalaup.1)
  install(TARGETS dalaup COMPONENT program)
  install(DIRECTORY ${made}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
  install(FILES ${made}/bash/dalaup DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
  install(FILES ${made}/zsh/_dalaup DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT program)
  install(FILES README.md CHANGELOG.md LICENSE CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
endif()

if(DALAUP_PYTHON)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)  # found in apps/python for that folder only
  set(python_folder lib/python3/dist-packages/dalaup)
  install(TARGETS dalaup_python LIBRARY DESTINATION ${python_folder} COMPONENT python)
  install(DIRECTORY apps/python/dalaup/ DESTINATION ${python_folder} COMPONENT python
          FILES_MATCHING PATTERN *.py PATTERN *.pyi PATTERN py.typed)
endif()

set(CPACK_PACKAGE_VENDOR dalaup)
# Whoever builds the packages answers for them: by the variables that Debian's own tools use.
if(DEFINED ENV{DEBEMAIL})
  set(CPACK_PACKAGE_CONTACT "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
else()
  set(CPACK_PACKAGE_CONTACT "the authors of dalaup <dalaup@localhost>")
endif()
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program library)
if(DALAUP_PYTHON)
  list(APPEND CPACK_COMPONENTS_ALL python)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME dalaup)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libdalaup-dev)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SUGGESTS "libfmt-dev, libxml2-dev, libzstd-dev, zlib1g-dev")
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-dalaup)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
    "python3 (>= ${Python3_VERSION_MAJOR}.${Python3_VERSION_MINOR}), python3-numpy, python3-pandas")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-scipy, python3-networkx, python3-tqdm")
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "${PROJECT_DESCRIPTION}: the program")
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "${PROJECT_DESCRIPTION}: the C++ library and what programs need to use it")
set(CPACK_COMPONENT_PYTHON_DESCRIPTION "${PROJECT_DESCRIPTION}: the Python package")
include(CPack)
