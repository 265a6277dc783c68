#!/bin/sh
# example_add_kernels.sh PROGRAM EXAMPLE FOLDER: builds the example in FOLDER with that softmax-tune. The headers must be
# there and used, a second build must find nothing to do, and a header that was removed must come back.
set -eu
program=$1 example=$2 folder=$3
rm -rf "$folder"
mkdir -p "$folder"

# A corner of the space: this is a test of the build, not of the choice.
cmake -S "$example" -B "$folder" -DSOFTMAX_TUNE_PROGRAM="$program" \
  "-DSOFTMAX_TUNE_OPTIONS=--set;scope=block;--set;threads=256" >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
cmake --build "$folder" >"$folder/log" 2>&1 || {
  grep -q 'NVRTC was not found' "$folder/log" && { echo "skipped: no NVRTC"; exit 77; }
  cat "$folder/log"
  exit 1
}
# The reports are files, and no part of the build's log.
! grep -q 'Choice:' "$folder/log" || { cat "$folder/log"; exit 1; }

kernels=$folder/row_softmax_kernels
for arch in sm_90 sm_120; do
  stem=softmax_f32_m8192_n1024_$arch
  for suffix in h cu cubin ptx json; do
    test -s "$kernels/$stem.$suffix" || { echo "$stem.$suffix is not there"; exit 1; }
  done
  grep -q 'Choice:' "$kernels/$stem.log" || { echo "$stem.log holds no report"; exit 1; }
  grep -q "\"$stem.h\"" "$kernels/row_softmax_kernels.h"
done
test -s "$folder/librow_softmax.a"

# Nothing is newer than a stamp after a second build.
touch "$folder/stamp"
cmake --build "$folder" >"$folder/log" 2>&1
newer=$(find "$kernels" "$folder/librow_softmax.a" -newer "$folder/stamp")
test -z "$newer" || { echo "built again: $newer"; exit 1; }

rm "$kernels/softmax_f32_m8192_n1024_sm_90.h"
cmake --build "$folder" >"$folder/log" 2>&1
test -s "$kernels/softmax_f32_m8192_n1024_sm_90.h"
