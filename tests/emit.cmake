# tuner/emit/
add_unit_test(emit LIBRARIES emit LABELS nvrtc)
target_compile_definitions(test_emit PRIVATE CUDA_INCLUDE="${CUDA_HEADERS_DIR}")
