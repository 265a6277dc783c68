add_unit_test(statistics LIBRARIES race)
add_unit_test(race LIBRARIES race)
