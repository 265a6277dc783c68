# These run the program itself, PROGRAM.
add_unit_test(bad_usage LIBRARIES generator TIMEOUT 300)
add_unit_test(command_line LIBRARIES generator TIMEOUT 600)
add_dependencies(test_bad_usage softmax-tune)
add_dependencies(test_command_line softmax-tune)
