# What the emulator says beside what a GPU said. hardware/h200.tar.xz holds the variants and the GPU's answers.
set(hardware_parts hardware/hardware_answers.c hardware/hardware_program.c hardware/hardware_variants.c)
set(hardware_archive ${CMAKE_CURRENT_SOURCE_DIR}/hardware/h200.tar.xz)
set(hardware_folder ${CMAKE_CURRENT_BINARY_DIR}/hardware)
if(EXISTS ${hardware_archive})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${hardware_archive})
  file(ARCHIVE_EXTRACT INPUT ${hardware_archive} DESTINATION ${hardware_folder})
endif()
add_unit_test(hardware LIBRARIES devices deps::xxhash TIMEOUT 1200)
target_sources(test_hardware PRIVATE ${hardware_parts} hardware/stated_error.c)
target_compile_definitions(test_hardware PRIVATE ANSWERS="${hardware_folder}")

# Make the variants, and the answers on a GPU; run by hand.
add_executable(sample_hardware hardware/sample_hardware.c hardware/hardware_variants.c)
target_link_libraries(sample_hardware PRIVATE devices compile deps::xxhash project_options)
add_executable(record_hardware hardware/record_hardware.c ${hardware_parts})
target_link_libraries(record_hardware PRIVATE devices compile deps::xxhash deps::cuda_headers project_options)
