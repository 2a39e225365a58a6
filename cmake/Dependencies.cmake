# Every outside library, each as one target; all are Debian packages (see tools/packages.txt).
find_package(Threads REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(fmt REQUIRED)
find_package(ZLIB REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(SQLiteCpp REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(LIBXML2 REQUIRED IMPORTED_TARGET libxml-2.0)
pkg_check_modules(HTTPLIB REQUIRED IMPORTED_TARGET cpp-httplib)
pkg_check_modules(TOMLPP REQUIRED IMPORTED_TARGET tomlplusplus)

# The serial build of OpenBLAS, linked statically: our own loop hands out the tiles, so the result is
# the same at any thread count, whichever BLAS the system's alternatives point to.
find_library(OPENBLAS_SERIAL NAMES libopenblas.a PATH_SUFFIXES openblas-serial REQUIRED)
find_path(OPENBLAS_INCLUDE cblas.h PATH_SUFFIXES openblas-serial x86_64-linux-gnu/openblas-serial
          aarch64-linux-gnu/openblas-serial REQUIRED)
add_library(openblas_serial INTERFACE)
target_include_directories(openblas_serial SYSTEM INTERFACE ${OPENBLAS_INCLUDE})
target_link_libraries(openblas_serial INTERFACE ${OPENBLAS_SERIAL} gfortran m)
# Its buffers are handed out without a lock, and it mistakes new processors for very old ones:
# src/base/blas.cpp sees to both.
target_link_options(openblas_serial INTERFACE
                    LINKER:--wrap=blas_memory_alloc,--wrap=blas_memory_free)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  target_link_options(openblas_serial INTERFACE LINKER:--wrap=gotoblas_dynamic_init)
endif()
