# tuner/verify/ and tuner/devices/ but for the emulator.
add_unit_test(oracle LIBRARIES verify)
add_unit_test(verify LIBRARIES verify)
add_unit_test(launch_argument LIBRARIES devices)

# A driver of host memory: its kernels fault, hang and lie by name.
add_library(fake_cuda SHARED fake_cuda.c fake_kernels.c ${PROJECT_SOURCE_DIR}/tuner/verify/oracle_host.c)
target_link_libraries(fake_cuda PRIVATE project_options deps::cuda_headers deps::jansson m)
add_unit_test(cuda_device LIBRARIES devices deps::cuda_headers)
target_compile_definitions(test_cuda_device PRIVATE FAKE_CUDA="$<TARGET_FILE:fake_cuda>"
  FAKE_NVRTC="$<TARGET_FILE:fake_nvrtc>")
add_dependencies(test_cuda_device fake_cuda fake_nvrtc)
add_unit_test(cuda_oracle LIBRARIES compile LABELS nvrtc)
