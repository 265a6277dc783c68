#!/bin/sh
# ./test.sh [CTEST ARGS]: installs what is missing, builds, and runs every test that this machine can run; under the
# address and undefined sanitizers all but those labelled nvrtc, which spend their time in NVRTC and in kernels.
set -eu
cd "$(dirname "$0")"
. cmake/setup.sh
install_missing tests
jobs=$(nproc)
build build/release -DCMAKE_BUILD_TYPE=Release -DCMAKE_COMPILE_WARNING_AS_ERROR=ON
build build/sanitize -DCMAKE_BUILD_TYPE=RelWithDebInfo -DSOFTMAX_TUNE_SANITIZE=address,undefined
failed=0
echo "== sanitizers: address, undefined"
ctest --test-dir build/sanitize --output-on-failure -j "$jobs" -LE nvrtc "$@" || failed=1
echo "== release"
ctest --test-dir build/release --output-on-failure -j "$jobs" "$@" || failed=1
exit $failed
