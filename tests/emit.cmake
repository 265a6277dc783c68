# tuner/emit/
add_unit_test(emit LIBRARIES emit LABELS nvrtc)
target_compile_definitions(test_emit PRIVATE CUDA_INCLUDE="${CUDA_HEADERS_DIR}")
add_unit_test(choices LIBRARIES emit)

# A project that has its kernels generated while it is built.
add_test(NAME example_add_kernels COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/example_add_kernels.sh
  $<TARGET_FILE:softmax-tune> ${PROJECT_SOURCE_DIR}/examples/add_kernels ${CMAKE_CURRENT_BINARY_DIR}/add_kernels)
set_tests_properties(example_add_kernels PROPERTIES SKIP_RETURN_CODE 77 LABELS nvrtc TIMEOUT 300
  ENVIRONMENT "${test_environment}")

add_test(NAME misuse_add_kernels COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/misuse_add_kernels.sh
  $<TARGET_FILE:softmax-tune> ${PROJECT_SOURCE_DIR}/cmake ${CMAKE_CURRENT_BINARY_DIR}/misuse_add_kernels)
set_tests_properties(misuse_add_kernels PROPERTIES ENVIRONMENT "${test_environment}")
