# tuner/devices/emulator/
add_unit_test(emulator LIBRARIES devices)
add_unit_test(emulator_checks LIBRARIES devices)
add_unit_test(emulator_mbarrier LIBRARIES devices)
add_unit_test(emulator_mutants LIBRARIES devices compile LABELS nvrtc TIMEOUT 600)
add_unit_test(emulator_variants LIBRARIES devices compile LABELS nvrtc TIMEOUT 1200)
add_unit_test(problem_cases LIBRARIES devices compile LABELS nvrtc TIMEOUT 600)
add_unit_test(emulator_damage LIBRARIES devices TIMEOUT 600)

# How fast it is; run by hand.
add_executable(bench_emulator bench_emulator.c)
target_link_libraries(bench_emulator PRIVATE devices compile project_options)

# A fuzzer that is guided by coverage, with clang only: fuzz_emulator FOLDER, where FOLDER begins as a copy of ptx/.
option(SOFTMAX_TUNE_FUZZ "Build fuzz_emulator (clang, with the sanitizers)" OFF)
if(SOFTMAX_TUNE_FUZZ)
  target_compile_options(devices PRIVATE -fsanitize=fuzzer-no-link)
  add_executable(fuzz_emulator fuzz_emulator.c)
  target_link_libraries(fuzz_emulator PRIVATE devices project_options)
  target_compile_options(fuzz_emulator PRIVATE -fsanitize=fuzzer)
  target_link_options(fuzz_emulator PRIVATE -fsanitize=fuzzer)
endif()
