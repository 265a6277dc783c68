# The libraries that the project stands on, as imported targets: deps::lua, deps::jansson, deps::xxhash,
# deps::sqlite, deps::cuda_headers (cuda.h and nvrtc.h: types only, both libraries are loaded at run time).
# With SOFTMAX_TUNE_PORTABLE the static archives are used.

function(add_dependency name header library)
  set(names ${library})
  if(SOFTMAX_TUNE_PORTABLE)
    set(names lib${library}.a)
  endif()
  find_path(${name}_INCLUDE_DIR ${header} PATH_SUFFIXES ${ARGN})
  find_library(${name}_LIBRARY NAMES ${names})
  if(NOT ${name}_INCLUDE_DIR OR NOT ${name}_LIBRARY)
    message(FATAL_ERROR "${name} was not found (${header}, ${names}): ./tune.sh installs it, or see README.md")
  endif()
  add_library(deps::${name} UNKNOWN IMPORTED GLOBAL)
  set_target_properties(deps::${name} PROPERTIES IMPORTED_LOCATION ${${name}_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${${name}_INCLUDE_DIR})
  mark_as_advanced(${name}_INCLUDE_DIR ${name}_LIBRARY)
endfunction()

add_dependency(lua lua.h lua5.4 lua5.4)
add_dependency(jansson jansson.h jansson)
add_dependency(xxhash xxhash.h xxhash)
add_dependency(sqlite sqlite3.h sqlite3)
set_property(TARGET deps::lua APPEND PROPERTY INTERFACE_LINK_LIBRARIES m ${CMAKE_DL_LIBS})
set_property(TARGET deps::sqlite APPEND PROPERTY INTERFACE_LINK_LIBRARIES m pthread ${CMAKE_DL_LIBS})

# A CUDA Toolkit where there is one, else the headers of NVIDIA's pip packages, which tune.sh puts here.
if(DEFINED ENV{XDG_DATA_HOME})
  set(_data_home $ENV{XDG_DATA_HOME})
else()
  set(_data_home $ENV{HOME}/.local/share)
endif()
set(SOFTMAX_TUNE_CUDA_PACKAGES ${_data_home}/softmax-tune/cuda CACHE PATH
  "Where NVIDIA's pip packages are, if there is no CUDA Toolkit")
file(GLOB _toolkits /usr/local/cuda-*)
list(SORT _toolkits COMPARE NATURAL ORDER DESCENDING)
find_path(CUDA_HEADERS_DIR nvrtc.h
  HINTS ENV CUDA_HOME ENV CUDA_PATH
  PATHS /usr/local/cuda ${_toolkits} ${SOFTMAX_TUNE_CUDA_PACKAGES}/nvidia/cu13
  PATH_SUFFIXES include)
if(NOT CUDA_HEADERS_DIR)
  message(FATAL_ERROR "nvrtc.h was not found: ./tune.sh installs it, or set CUDA_HOME to a CUDA Toolkit (12.9 or newer)")
endif()
add_library(deps::cuda_headers INTERFACE IMPORTED GLOBAL)
target_include_directories(deps::cuda_headers SYSTEM INTERFACE ${CUDA_HEADERS_DIR})
