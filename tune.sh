#!/bin/sh
# ./tune.sh ARGS: installs what is missing, builds, and runs softmax-tune ARGS.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
started_in=$(pwd)
cd "$here"
. cmake/setup.sh
install_missing
build build/tune -DSOFTMAX_TUNE_TESTS=OFF
cd "$started_in"
exec "$here/build/tune/softmax-tune" "$@"
