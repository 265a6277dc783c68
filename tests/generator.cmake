# The parts of generator/ that know Lua.
add_unit_test(sandbox LIBRARIES generator deps::lua)
add_unit_test(space LIBRARIES generator)
add_unit_test(template LIBRARIES generator)
add_unit_test(generator LIBRARIES generator)
add_unit_test(generator_damage LIBRARIES generator TIMEOUT 300)

# How fast variants are listed and sources made; not a test, since it depends on the machine.
add_executable(bench_generator bench_generator.c)
target_link_libraries(bench_generator PRIVATE generator project_options)
