# add_module(query DEPENDS base labels aligner LINK SQLiteCpp)
#
# A module is a folder of src/ and a static library; its front door is src/NAME/NAME.h, or
# src/methods/NAME/NAME.h for one of the methods, which stand side by side. DEPENDS names
# the modules whose front doors it may include; tests/layers compares that list with the #include lines.
# QUICK: nothing in it is hot; it is compiled as a few files without much optimisation.
# declare_application(cli DEPENDS ...) declares a folder of apps/ in the same way, for the same test.
function(add_module name)
  cmake_parse_arguments(MODULE "QUICK" "" "DEPENDS;LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
  string(REPLACE "/" "_" target dalaup_${name})
  add_library(${target} STATIC ${sources})
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  list(TRANSFORM MODULE_DEPENDS PREPEND dalaup_ OUTPUT_VARIABLE libraries)
  list(TRANSFORM libraries REPLACE "/" "_")
  target_link_libraries(${target} PUBLIC ${libraries} ${MODULE_LINK} PRIVATE dalaup_options)
  if(MODULE_QUICK)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ${DALAUP_UNITY} UNITY_BUILD_BATCH_SIZE 8)
  else()
    target_precompile_headers(${target} REUSE_FROM dalaup_common_headers)
  endif()
  string(JOIN " " depends ${MODULE_DEPENDS})
  set_property(GLOBAL APPEND_STRING PROPERTY DALAUP_MODULES "${name}: ${depends}\n")
  set_property(GLOBAL APPEND PROPERTY DALAUP_MODULE_TARGETS ${target})
endfunction()

function(declare_application name)
  cmake_parse_arguments(MODULE "" "" "DEPENDS" ${ARGN})
  string(JOIN " " depends ${MODULE_DEPENDS})
  set_property(GLOBAL APPEND_STRING PROPERTY DALAUP_APPLICATIONS "${name}: ${depends}\n")
endfunction()

function(write_module_list)
  get_property(modules GLOBAL PROPERTY DALAUP_MODULES)
  get_property(applications GLOBAL PROPERTY DALAUP_APPLICATIONS)
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/modules.txt CONTENT "${modules}")
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/applications.txt CONTENT "${applications}")
endfunction()
