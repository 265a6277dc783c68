# These run the program itself, PROGRAM; but for `measured`, which has the commands in it, and a GPU that is a script.
add_unit_test(bad_usage LIBRARIES generator TIMEOUT 300)
add_unit_test(command_line LIBRARIES generator TIMEOUT 600)
add_unit_test(measured LIBRARIES cli TIMEOUT 600)
add_unit_test(tune_gpu LIBRARIES generator LABELS gpu TIMEOUT 300)
add_dependencies(test_tune_gpu softmax-tune)
add_dependencies(test_bad_usage softmax-tune)
add_dependencies(test_command_line softmax-tune)
