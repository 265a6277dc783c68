# tuner/devices/emulator/
add_unit_test(emulator LIBRARIES devices)
add_unit_test(emulator_checks LIBRARIES devices)
add_unit_test(emulator_mutants LIBRARIES devices compile LABELS nvrtc TIMEOUT 600)
add_unit_test(emulator_variants LIBRARIES devices compile LABELS nvrtc TIMEOUT 1200)
add_unit_test(emulator_damage LIBRARIES devices TIMEOUT 600)

# How fast it is; run by hand.
add_executable(bench_emulator bench_emulator.c)
target_link_libraries(bench_emulator PRIVATE devices compile project_options)
