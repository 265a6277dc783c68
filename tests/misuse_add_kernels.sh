#!/bin/sh
# misuse_add_kernels.sh PROGRAM CMAKE_FOLDER FOLDER: each wrong call is refused while CMake configures, with its reason.
set -eu
program=$1 modules=$2 folder=$3

refuse() { # CALLS REASON
  rm -rf "$folder"
  mkdir -p "$folder"
  cat >"$folder/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.20)
project(misuse LANGUAGES NONE)
list(APPEND CMAKE_MODULE_PATH "$modules")
include(SoftmaxTuneKernels)
add_library(a INTERFACE)
$1
END
  if cmake -S "$folder" -B "$folder/build" -DSOFTMAX_TUNE_PROGRAM="$program" -DCUDA_HEADERS_DIR="$folder" \
    >"$folder/log" 2>&1; then
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
rm -rf "$folder"
