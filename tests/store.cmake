# tuner/store/
add_unit_test(store LIBRARIES store)
add_unit_test(store_damage LIBRARIES store deps::sqlite)
add_unit_test(store_kill LIBRARIES store)
