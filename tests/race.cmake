add_unit_test(statistics LIBRARIES race)
add_unit_test(race LIBRARIES race)
add_unit_test(pipeline LIBRARIES race)
add_unit_test(strategy LIBRARIES race)

# A space of variants that fault, hang and lie.
foreach(test poison poison_gpu)
  add_unit_test(${test} LIBRARIES generator TIMEOUT 600)
  target_compile_definitions(test_${test} PRIVATE POISON_FOLDER="${CMAKE_CURRENT_SOURCE_DIR}/poison")
  add_dependencies(test_${test} softmax-tune)
endforeach()
set_tests_properties(poison PROPERTIES LABELS nvrtc)
set_tests_properties(poison_gpu PROPERTIES LABELS gpu)

add_unit_test(replay LIBRARIES race)
# The table of docs/strategies.md, from recordings; not a test.
add_executable(compare_strategies compare_strategies.c)
target_link_libraries(compare_strategies PRIVATE race model project_options)
