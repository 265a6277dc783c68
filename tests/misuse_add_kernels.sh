#!/bin/sh
# misuse_add_kernels.sh PROGRAM CMAKE_FOLDER FOLDER: each wrong call is refused while CMake configures, with its reason;
# the program is found where ./tune.sh builds it; and M = 0 is not taken for no M at all.
set -eu
program=$1 modules=$2 folder=$3

configure() { # CALLS [OPTION]...
  cat >"$folder/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.20)
project(misuse LANGUAGES NONE)
list(APPEND CMAKE_MODULE_PATH "$modules")
include(SoftmaxTuneKernels)
add_library(a INTERFACE)
$1
END
  shift
  cmake -S "$folder" -B "$folder/build" -DCUDA_HEADERS_DIR="$folder" "$@" >"$folder/log" 2>&1
}

refuse() { # CALLS REASON [PROGRAM]
  rm -rf "$folder"
  mkdir -p "$folder"
  if configure "$1" -DSOFTMAX_TUNE_PROGRAM="${3-$program}"; then
    echo "not refused: $1"
    exit 1
  fi
  tr -s '\n ' '  ' <"$folder/log" | grep -qF "$2" || { echo "'$1' gave:"; cat "$folder/log"; exit 1; }
}

refuse "softmax_tune_add_kernels(none ARCHS sm_90 N 64)" "there is no target 'none'"
refuse "softmax_tune_add_kernels(a N 64)" "ARCHS and N are needed"
refuse "softmax_tune_add_kernels(a ARCH sm_90 N 64)" "unknown argument 'ARCH;sm_90'"
refuse "softmax_tune_add_kernels(a ARCHS sm_90 N 64 OPTIONS --in-place)" "OPTIONS cannot have --in-place"
refuse "softmax_tune_add_kernels(a ARCHS sm_90 N 64 OPTIONS --op=log_softmax)" "OPTIONS cannot have --op=log_softmax"
refuse "softmax_tune_add_kernels(a ARCHS sm_90 N 64)
softmax_tune_add_kernels(a ARCHS sm_90 N 128)" "'a' has its kernels already"
refuse "softmax_tune_add_kernels(a ARCHS sm_90 N 64)" "there is no such file" "$folder/none"

# A copy of the modules in a folder of softmax-tune's shape.
rm -rf "$folder"
mkdir -p "$folder/copy/build/tune" "$folder/copy/cmake"
cp "$modules"/SoftmaxTuneKernels.cmake "$folder/copy/cmake"
modules=$folder/copy/cmake
ln -s "$program" "$folder/copy/build/tune/softmax-tune"
configure "softmax_tune_add_kernels(a ARCHS sm_90 N 64 M 0)" || { cat "$folder/log"; exit 1; }
grep -q '^SOFTMAX_TUNE_PROGRAM:.*copy/.*build/tune/softmax-tune$' "$folder/build/CMakeCache.txt" || {
  grep SOFTMAX_TUNE_PROGRAM "$folder/build/CMakeCache.txt"
  exit 1
}
grep -q 'softmax_f32_m0_n64_sm_90' "$folder/build/a_kernels/a_kernels.h" || { echo "M = 0 is lost"; exit 1; }
rm -rf "$folder"
