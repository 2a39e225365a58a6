# find_package(dalaup) gives dalaup::dalaup, a shared library that needs nothing further at build
# time; with COMPONENTS static also dalaup::static, which links the libraries found here.
include(${CMAKE_CURRENT_LIST_DIR}/dalaup-targets.cmake)
if(static IN_LIST dalaup_FIND_COMPONENTS)
  include(CMakeFindDependencyMacro)
  find_dependency(Threads)
  find_dependency(fmt)
  find_dependency(ZLIB)
  find_dependency(PkgConfig)
  pkg_check_modules(ZSTD QUIET REQUIRED IMPORTED_TARGET libzstd)
  pkg_check_modules(LIBXML2 QUIET REQUIRED IMPORTED_TARGET libxml-2.0)
  include(${CMAKE_CURRENT_LIST_DIR}/dalaup-static.cmake)
  set(dalaup_static_FOUND TRUE)
endif()
