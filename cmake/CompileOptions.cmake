# One interface target carries every compiler flag of the project.
add_library(dalaup_options INTERFACE)
target_compile_options(dalaup_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-align
  -fno-math-errno -fno-trapping-math)  # not -ffast-math: it turned a sigmoid's tail into NaN
if(DALAUP_WARNINGS_AS_ERRORS)
  target_compile_options(dalaup_options INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 reports these inside its own headers and Eigen's when it inlines.
  target_compile_options(dalaup_options INTERFACE
    -Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread
    -Wno-restrict -Wno-dangling-pointer)
endif()
if(DALAUP_ARCH AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  target_compile_options(dalaup_options INTERFACE -march=${DALAUP_ARCH})
endif()
if(DALAUP_SANITIZE)
  target_compile_options(dalaup_options INTERFACE
    -g1 -fsanitize=${DALAUP_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(dalaup_options INTERFACE -fsanitize=${DALAUP_SANITIZE})
endif()
if(DALAUP_SANITIZE MATCHES "undefined")
  # These double the time of a build (measured with GCC 12), and a null pointer crashes anyway.
  target_compile_options(dalaup_options INTERFACE -fno-sanitize=null,alignment,vptr)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g -D_GLIBCXX_ASSERTIONS")
