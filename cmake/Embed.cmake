# embed_files(<target> <file>...): builds files of this repository into a target, found by resource_find().
# The generated C file is written again when one of them changes.
function(embed_files target)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${target}_resources.c)
  set(paths)
  foreach(file IN LISTS ARGN)
    list(APPEND paths ${PROJECT_SOURCE_DIR}/${file})
  endforeach()
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} "-DFILES=${ARGN}" -DOUTPUT=${output}
      -P ${PROJECT_SOURCE_DIR}/cmake/EmbedScript.cmake
    DEPENDS ${paths} ${PROJECT_SOURCE_DIR}/cmake/EmbedScript.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
