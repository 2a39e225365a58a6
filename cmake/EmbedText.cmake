# embed_text(TARGET HEADER VARIABLE FILE [VARIABLE FILE ...]) compiles real files into a target as
# `const char* const VARIABLE`, declared in HEADER. Editing a file runs CMake again.
function(embed_text target header)
  set(code "#include \"${header}\"\n\nnamespace dalaup {\n\n")
  set(pairs ${ARGN})
  while(pairs)
    list(POP_FRONT pairs variable path)
    file(READ ${PROJECT_SOURCE_DIR}/${path} content)
    string(APPEND code "const char* const ${variable} = R\"dalaup_text(${content})dalaup_text\";\n")
    set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
                 ${PROJECT_SOURCE_DIR}/${path})
  endwhile()
  string(APPEND code "\n}  // namespace dalaup\n")
  set(output ${PROJECT_BINARY_DIR}/embedded/${target}.cpp)
  file(GENERATE OUTPUT ${output} CONTENT "${code}")
  target_sources(${target} PRIVATE ${output})
endfunction()
