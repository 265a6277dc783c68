# tuner/verify/ and tuner/devices/ but for the emulator.
add_unit_test(oracle LIBRARIES verify)
add_unit_test(verify LIBRARIES verify)
