# tuner/compile/
add_unit_test(cubin LIBRARIES compile)
add_unit_test(compile_log LIBRARIES compile)
add_unit_test(image_cache LIBRARIES compile)
add_unit_test(compiler LIBRARIES compile LABELS nvrtc)

# An NVRTC that crashes, hangs and lies.
add_library(fake_nvrtc SHARED fake_nvrtc.c)
target_link_libraries(fake_nvrtc PRIVATE project_options deps::cuda_headers)
target_compile_options(fake_nvrtc PRIVATE -Wno-missing-prototypes)
add_unit_test(compiler_faults LIBRARIES compile)
target_compile_definitions(test_compiler_faults PRIVATE FAKE_NVRTC="$<TARGET_FILE:fake_nvrtc>")
add_dependencies(test_compiler_faults fake_nvrtc)
