# Nine tenths of a small file's compilation is reading the headers of others (GCC 12: 5.5 s of 6), so
# these are compiled once for all modules. Only headers that never change stand here: a change of ours
# recompiles what includes it and no more. A target with flags of its own precompiles for itself
# (target_precompile_headers). ccache needs -fpch-preprocess, and sloppiness pch_defines,time_macros.
set(DALAUP_COMMON_HEADERS
  <algorithm> <array> <atomic> <chrono> <cmath> <condition_variable> <functional> <limits> <map>
  <memory> <mutex> <numeric> <optional> <random> <ranges> <set> <span> <string> <string_view> <thread>
  <unordered_map> <unordered_set> <variant> <vector> <fmt/format.h> <Eigen/Core>)
add_compile_options(-fpch-preprocess)
file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/common_headers.cpp CONTENT "")
add_library(dalaup_common_headers OBJECT ${PROJECT_BINARY_DIR}/common_headers.cpp)
target_link_libraries(dalaup_common_headers PRIVATE dalaup_options fmt::fmt Eigen3::Eigen)
target_precompile_headers(dalaup_common_headers PRIVATE ${DALAUP_COMMON_HEADERS})
