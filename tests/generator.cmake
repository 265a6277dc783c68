add_executable(bench_generator bench_generator.c)
    target_link_libraries(bench_generator PRIVATE generator project_options)
