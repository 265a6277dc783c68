# templates/, configs/ and tuner/model/.
add_unit_test(article_sources LIBRARIES generator)
add_unit_test(spaces LIBRARIES generator)
add_unit_test(kernel_images LIBRARIES compile LABELS nvrtc TIMEOUT 600)
add_unit_test(model LIBRARIES model)
add_unit_test(model_order LIBRARIES model)
add_unit_test(schedules LIBRARIES devices compile LABELS nvrtc TIMEOUT 600)
