# The commands that measure, and whole tuning runs, on a GPU that is a script; sources and images are real.
foreach(test measured_tune measured_confirm measured_bench tuning_store)
  add_unit_test(${test} LIBRARIES cli TIMEOUT 600)
  target_sources(test_${test} PRIVATE scripted_command.c scripted_gpu.c)
endforeach()
set_tests_properties(tuning_store PROPERTIES LABELS nvrtc)
