# What the emulator says beside what a GPU said (docs/compiling.md).
set(hardware_parts hardware/hardware_answers.c hardware/hardware_program.c hardware/hardware_variants.c)
add_executable(sample_hardware hardware/sample_hardware.c hardware/hardware_variants.c)
target_link_libraries(sample_hardware PRIVATE devices compile deps::xxhash project_options)
add_executable(record_hardware hardware/record_hardware.c ${hardware_parts})
target_link_libraries(record_hardware PRIVATE devices compile deps::xxhash deps::cuda_headers project_options)
