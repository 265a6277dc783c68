# These run the program itself, PROGRAM, where its streams and limits are not as usual.
add_unit_test(surroundings LIBRARIES generator TIMEOUT 300)
add_dependencies(test_surroundings softmax-tune)
