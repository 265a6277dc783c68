# The parts of generator/ that know no Lua.
add_unit_test(worker LIBRARIES generator)
add_unit_test(problem LIBRARIES generator)
add_unit_test(expression LIBRARIES generator)
add_unit_test(launch LIBRARIES generator)
add_unit_test(occupancy LIBRARIES generator)
add_unit_test(nearest LIBRARIES generator)
