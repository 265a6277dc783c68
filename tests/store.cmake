# tuner/store/
add_unit_test(store LIBRARIES store)
add_unit_test(store_damage LIBRARIES store deps::sqlite)
add_unit_test(store_kill LIBRARIES store)

# What is exported, and Kernel Tuner's own readers on it where they are installed.
add_unit_test(store_export LIBRARIES store)
find_program(PYTHON3 python3)
if(PYTHON3)
  add_test(NAME store_export_readers COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/read_exports.py
    $<TARGET_FILE:test_store_export>)
  set_tests_properties(store_export_readers PROPERTIES SKIP_RETURN_CODE 77)
endif()
