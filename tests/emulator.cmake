# tuner/devices/emulator/
add_unit_test(emulator LIBRARIES devices)
add_unit_test(emulator_checks LIBRARIES devices)
add_unit_test(emulator_mutants LIBRARIES devices compile LABELS nvrtc TIMEOUT 600)
add_unit_test(emulator_variants LIBRARIES devices compile LABELS nvrtc TIMEOUT 1200)
add_unit_test(emulator_damage LIBRARIES devices TIMEOUT 600)

# How fast it is; run by hand.
add_executable(bench_emulator bench_emulator.c)
target_link_libraries(bench_emulator PRIVATE devices compile project_options)

# The GPU's answers to every form of every instruction of the table: recorded once, compared everywhere.
add_library(instruction_samples STATIC instruction_samples.c)
target_link_libraries(instruction_samples PUBLIC devices project_options)
add_unit_test(emulator_hardware LIBRARIES instruction_samples)
add_executable(record_instructions record_instructions.c)
target_link_libraries(record_instructions PRIVATE instruction_samples deps::cuda_headers)
