# Sourced by tune.sh and test.sh: installs what a build needs and is not here, and builds. POSIX shell.
# Everything that is installed is printed first. Where everything is here, nothing is run.

# Debian's package for each thing that a build needs.
header_here() { # <header> [<folder below /usr/include>]
    printf '#include <%s>\n' "$1" | ${CC:-cc} -E -I"/usr/include/${2:-.}" - >/dev/null 2>&1
}

missing_packages() { # prints those that are not here; with "tests", the ones for the tests too
    command -v "${CC:-cc}" >/dev/null 2>&1 || { echo gcc; echo libc6-dev; }
    command -v cmake >/dev/null 2>&1 || echo cmake
    command -v ninja >/dev/null 2>&1 || echo ninja-build
    header_here stdio.h || echo libc6-dev
    header_here lua.h lua5.4 || echo liblua5.4-dev
    header_here jansson.h || echo libjansson-dev
    header_here xxhash.h || echo libxxhash-dev
    header_here sqlite3.h || echo libsqlite3-dev
    if [ "${1:-}" = tests ] && ! printf '#include <stdarg.h>\n#include <stddef.h>\n#include <setjmp.h>\n#include <stdint.h>\n#include <cmocka.h>\n' |
        ${CC:-cc} -E - >/dev/null 2>&1; then
        echo libcmocka-dev
    fi
    cuda_here || pip_here || { echo python3; echo python3-pip; }
}

pip_here() {
    python3 -m pip --version >/dev/null 2>&1
}

# A CUDA Toolkit of 12.9 or newer with NVRTC (older ones lack features of sm_120), or NVIDIA's pip packages.
cuda_packages=${XDG_DATA_HOME:-$HOME/.local/share}/softmax-tune/cuda

cuda_here() {
    for folder in "${CUDA_HOME:-}" "${CUDA_PATH:-}" /usr/local/cuda /usr/local/cuda-* "$cuda_packages/nvidia/cu13"; do
        [ -n "$folder" ] && [ -f "$folder/include/nvrtc.h" ] && [ -f "$folder/include/cuda.h" ] || continue
        version=$(sed -n 's/^#define CUDA_VERSION \([0-9]*\)$/\1/p' "$folder/include/cuda.h")
        [ "${version:-0}" -ge 12090 ] || continue
        for library in "$folder"/lib64/libnvrtc.so.1? "$folder"/lib/libnvrtc.so.1?; do
            [ -f "$library" ] && return 0
        done
    done
    return 1
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null 2>&1; then
        sudo "$@"
    else
        echo "softmax-tune: installing packages needs root: run as root, or install sudo, or install them yourself" >&2
        exit 3
    fi
}

install_missing() { # [tests]
    packages=$(missing_packages "$@" | sort -u | tr '\n' ' ')
    if [ -n "$packages" ]; then
        if ! command -v apt-get >/dev/null 2>&1; then
            echo "softmax-tune: not a Debian or Ubuntu machine: install what Debian calls $packages" >&2
            exit 3
        fi
        echo "softmax-tune: installing Debian packages: $packages" >&2
        as_root apt-get update -qq >&2
        # shellcheck disable=SC2086 # a list of words
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $packages >&2
    fi
    if ! cuda_here; then
        echo "softmax-tune: installing NVRTC 13.0 and the CUDA headers (pip) into $cuda_packages" >&2
        python3 -m pip install --quiet --no-deps --upgrade --disable-pip-version-check --root-user-action=ignore \
            --target "$cuda_packages" 'nvidia-cuda-nvrtc==13.0.*' 'nvidia-cuda-runtime==13.0.*' >&2
        cuda_here || { echo "softmax-tune: pip did not bring NVRTC into $cuda_packages" >&2; exit 3; }
    fi
}

build() { # <folder> [<cmake option>...]: configures once, then builds what has changed; quiet unless it fails
    folder=$1
    shift
    log=$(mktemp)
    if [ ! -f "$folder/build.ninja" ]; then
        echo "softmax-tune: building in $folder" >&2
        cmake -S . -B "$folder" -G Ninja "$@" >"$log" 2>&1 || { cat "$log" >&2; rm -f "$log" "$folder/CMakeCache.txt"; exit 2; }
    fi
    cmake --build "$folder" >"$log" 2>&1 || { cat "$log" >&2; rm -f "$log"; exit 2; }
    rm -f "$log"
}
