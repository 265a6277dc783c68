add_unit_test(statistics LIBRARIES race)
add_unit_test(race LIBRARIES race)
add_unit_test(pipeline LIBRARIES race)
add_unit_test(strategy LIBRARIES race)
