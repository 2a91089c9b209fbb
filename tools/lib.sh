# shellcheck shell=bash
# Shared by the scripts in tools/ that build, and by .ci/run: installs the packages that a fresh Debian lacks, and sets
# up a build folder that can be trusted. Sourcing it changes to the top of the source tree.
#
# Its functions return a status, and also work inside a condition, where `set -e` is off.

program=$(readlink -f -- "${BASH_SOURCE[-1]}")
cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.." || exit

complain() {
    printf '%s: %s\n' "${0##*/}" "$1" >&2
    return 1
}

usage_error() {
    complain "$1 (see --help)" || exit 2
}

# Prints the comment at the top of the program.
show_help() {
    sed -n '2,/^set/{s/^# \{0,1\}//p}' "$program"
}

# The commit of the source tree, for files that must say what they were made from.
current_commit() {
    local id changes
    local git=(git -c safe.directory="$PWD")
    if id=$("${git[@]}" rev-parse HEAD 2>/dev/null); then
        changes=$("${git[@]}" status --porcelain 2>/dev/null) || changes=unknown
        echo "$id${changes:+, with changes}"
    else
        echo unknown
    fi
}

# Refuses arguments that certainly mean something else, before anything is changed.
check_setup_options() {
    local word
    for word in "$@"; do
        [[ $word == -D?*=* || $word == --?*=* ]] ||
            usage_error "'$word' is not an option of meson setup, -DNAME=VALUE or --NAME=VALUE"
    done
}

# A probe is a command, a pkg-config file (NAME.pc) or a path, perhaps with wildcards.
is_there() {
    case $1 in
    *.pc) pkg-config --exists "${1%.pc}" 2>/dev/null ;;
    /*) compgen -G "$1" >/dev/null ;;
    *) command -v "$1" >/dev/null ;;
    esac
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        complain "this needs root or sudo: $*"
    fi
}

apt_get() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 "$@" </dev/null
}

install() {
    apt_get install -y --no-install-recommends "$@"
}

# install_missing PROBE=PACKAGE...: installs the packages whose probe finds nothing.
install_missing() {
    local need packages=()
    for need in "$@"; do
        is_there "${need%%=*}" || packages+=("${need#*=}")
    done
    [ ${#packages[@]} -gt 0 ] || return 0
    if ! command -v apt-get >/dev/null; then
        complain "please install these Debian packages: ${packages[*]}"
        return
    fi
    echo "installing ${packages[*]}"
    # The package lists may be missing, or so old that the servers no longer have what they name.
    if apt-get --simulate install "${packages[@]}" >/dev/null 2>&1 && install "${packages[@]}"; then
        return
    fi
    apt_get update && install "${packages[@]}" && return
    complain "could not install ${packages[*]}"
}

# Looks for nvcc where cuda/meson.build does.
find_nvcc() {
    command -v nvcc || compgen -G "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc" ||
        compgen -G /usr/local/cuda/bin/nvcc
}

install_build_needs() {
    install_missing cc=gcc /usr/include/stdio.h=libc6-dev meson=meson ninja=ninja-build \
        pkg-config=pkg-config glib-2.0.pc=libglib2.0-dev htslib.pc=libhts-dev \
        jansson.pc=libjansson-dev libzstd.pc=libzstd-dev libxxhash.pc=libxxhash-dev zlib.pc=zlib1g-dev \
        cairo-svg.pc=libcairo2-dev pangocairo.pc=libpango1.0-dev || return
    if [ "$(uname -m)" != x86_64 ]; then
        install_missing /usr/include/simde/x86/sse4.1.h=libsimde-dev || return
    fi
    # nvcc compiles with it.
    if find_nvcc >/dev/null; then
        install_missing g++=g++
    fi
}

# What a build folder depends on in addition to the sources.
toolchain() {
    local cc cxx nvcc word
    read -ra cc <<<"${CC:-cc}"
    read -ra cxx <<<"${CXX:-c++}"
    nvcc=$(find_nvcc) || nvcc=
    meson --version
    "${cc[@]}" --version 2>/dev/null | head -n 1
    "${cxx[@]}" --version 2>/dev/null | head -n 1
    [ -z "$nvcc" ] || { echo "$nvcc" && "$nvcc" --version 2>&1; } || true
    printf '%s\n' "${CFLAGS:-}" "${LDFLAGS:-}" "${NVCC_APPEND_FLAGS:-}" "$PWD" "$@"
    for word in "$@"; do
        [[ $word != --cross-file=* ]] || cat -- "${word#*=}" 2>/dev/null || true
    done
}

# Whether the folder may be deleted: Meson set it up, or this script was about to set it up.
is_build() {
    [ -e "$1/.toolchain" ] || [ -e "$1/meson-private/coredata.dat" ]
}

# Sets up a folder that is thrown away, because a build folder cannot be set up elsewhere and then moved.
try_setup() {
    local scratch status=0
    scratch=$(mktemp -d) || return
    if ! meson setup "$scratch/build" "$@" >"$scratch/log" 2>&1; then
        grep -v 'full log can be found' "$scratch/log" >&2
        status=1
    fi
    rm -rf -- "$scratch"
    return "$status"
}

# A folder that somebody set up by hand keeps its options and compiler.
configure_by_hand() {
    local folder=$1 source
    shift
    source=$(python3 -c 'import json, sys; print(json.load(sys.stdin)["directories"]["source"])' \
        <"$folder/meson-info/meson-info.json" 2>/dev/null) || source="an unknown source tree"
    if [ "$source" != "$(pwd -P)" ]; then
        complain "$folder/ was set up by hand for $source, not for this one: remove it or choose another folder"
        return
    fi
    echo "$folder/ was set up by hand: keeping its compiler and options"
    if [ $# -gt 0 ]; then
        meson configure "$folder" "$@" || return
    fi
    ninja -C "$folder" build.ninja && return
    complain "$folder/, set up by hand, no longer works; remove it or choose another folder"
}

# is_set_up FOLDER [MESON-SETUP-OPTION...]: whether configure would keep the folder as it is.
is_set_up() {
    local folder=$1 stamp=$1/.toolchain
    shift
    if [ -e "$stamp" ]; then
        [ "$(<"$stamp")" = "$(toolchain "$@")" ]
    else
        is_build "$folder"
    fi
}

# configure FOLDER [MESON-SETUP-OPTION...]: sets up a build folder. Replaces a folder that is damaged, or that was made
# by another Meson, compiler or set of options, but only if a new one can be made. The stamp .toolchain is written
# before Meson's first file and marks the folder as ours.
configure() {
    local folder=$1 stamp=$1/.toolchain wanted
    shift
    if [ -e "$folder" ] && [ ! -d "$folder" ]; then
        complain "$folder is not a folder"
        return
    fi
    if [ -e "$folder" ] && [ ! -w "$folder" ]; then
        complain "$folder/ belongs to $(stat -c %U "$folder"): remove it, or run this as them"
        return
    fi
    if [ ! -e "$stamp" ]; then
        if is_build "$folder"; then
            configure_by_hand "$folder" "$@"
            return
        fi
        if [ -d "$folder" ] && [ -n "$(ls -A -- "$folder")" ]; then
            complain "$folder/ is not a build folder: remove it or choose another folder"
            return
        fi
    fi
    wanted=$(toolchain "$@")
    if [ -e "$stamp" ]; then
        if [ "$(<"$stamp")" = "$wanted" ] && ninja -C "$folder" build.ninja; then
            return
        fi
        if ! try_setup "$@"; then
            complain "meson setup fails; $folder/ is unchanged"
            return
        fi
        rm -rf -- "$folder" || return
    fi
    mkdir -p -- "$folder" && echo "not set up yet" >"$stamp" && meson setup "$folder" "$@" &&
        printf '%s\n' "$wanted" >"$stamp"
}

# option_for_gpus NONE [MESON-SETUP-OPTION...]: prints the option that compiles the CUDA engine only for this machine's
# GPUs, or NONE if it has none, because each further kind takes nvcc half a minute. Prints nothing if the options choose
# GPUs, if there is no nvcc, or if a GPU is newer than nvcc; such a GPU runs code compiled for older ones.
option_for_gpus() {
    local none=$1 nvcc known gpus gpu
    shift
    if [[ " $* " == *' -D'@(cuda|gpu_archs)=* ]] || ! nvcc=$(find_nvcc); then
        return 0
    fi
    gpus=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null) || gpus=
    if [ -z "$gpus" ]; then
        echo "$none"
        return
    fi
    known=$("$nvcc" --list-gpu-code 2>/dev/null) || known=
    for gpu in $gpus; do
        grep -qx "sm_${gpu/./}" <<<"$known" || return 0
    done
    echo -Dgpu_archs=native
}

# The same for tools/check, which compiles for one kind of GPU if there is none here.
option_for_check() {
    option_for_gpus -Dgpu_archs=9.0 "$@"
}

# Language servers of editors look for it at the top.
link_compile_commands() {
    ln -sfn "$1/compile_commands.json" compile_commands.json
}

# Under sudo, gives the new files to the user who called sudo.
give_back() {
    [ "$(id -u)" -eq 0 ] && [ "${SUDO_UID:-0}" != 0 ] || return 0
    chown -Rh "$SUDO_UID:${SUDO_GID:-$SUDO_UID}" "$@"
}

hand_back() {
    local path
    for path in "$@"; do
        if is_build "$path" || [ -L "$path" ]; then
            give_back "$path"
        fi
    done
}
