# --batch-invariant: the table that it chooses from, and the option on a GPU that is a script.
add_unit_test(tuning_survey LIBRARIES cli)
add_unit_test(measured_invariant LIBRARIES cli TIMEOUT 300)
target_sources(test_measured_invariant PRIVATE scripted_command.c scripted_gpu.c)
