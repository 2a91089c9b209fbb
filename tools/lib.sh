# shellcheck shell=bash
# Shared by tools/quickstart, tools/check and .ci/run: the packages that a fresh Debian lacks, and a
# build folder that can be trusted. Sourcing it goes to the top of the source tree.
#
# Its functions return a status and work where `set -e` is off, as it is inside a condition.

cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.." || exit

complain() {
    printf '%s: %s\n' "${0##*/}" "$1" >&2
    return 1
}

# A probe is a command, a pkg-config file (NAME.pc) or a path, which may be a pattern.
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
        complain "neither root nor sudo here, which this needs: $*"
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
        complain "please install what Debian calls ${packages[*]}"
        return
    fi
    echo "installing ${packages[*]}"
    # The lists may be missing, or so old that what they name is gone.
    if apt-get --simulate install "${packages[@]}" >/dev/null 2>&1 && install "${packages[@]}"; then
        return
    fi
    apt_get update && install "${packages[@]}" && return
    complain "could not install ${packages[*]}"
}

install_build_needs() {
    install_missing cc=gcc /usr/include/stdio.h=libc6-dev meson=meson ninja=ninja-build \
        pkg-config=pkg-config glib-2.0.pc=libglib2.0-dev htslib.pc=libhts-dev \
        jansson.pc=libjansson-dev zlib.pc=zlib1g-dev
}

# What a build folder depends on beside the sources.
toolchain() {
    local cc cxx
    read -ra cc <<<"${CC:-cc}"
    read -ra cxx <<<"${CXX:-c++}"
    meson --version
    "${cc[@]}" --version 2>/dev/null | head -n 1
    "${cxx[@]}" --version 2>/dev/null | head -n 1
    printf '%s\n' "${CFLAGS:-}" "${LDFLAGS:-}" "$PWD" "$@"
}

# configure FOLDER [MESON-SETUP-OPTION...]: sets up a build folder, anew where another Meson, compiler
# or set of options made it or where it is damaged. One that somebody set up by hand keeps its options.
configure() {
    local folder=$1 stamp=$1/.toolchain wanted
    shift
    if [ -e "$folder" ] && [ ! -w "$folder" ]; then
        complain "$folder/ belongs to $(stat -c %U "$folder"): remove it, or run this as them"
        return
    fi
    wanted=$(toolchain "$@")
    if [ -e "$stamp" ]; then
        if [ "$(<"$stamp")" = "$wanted" ] && ninja -C "$folder" build.ninja; then
            return
        fi
        rm -rf -- "$folder" || return
    fi
    if [ -e "$folder/meson-private" ]; then
        meson setup --wipe "$folder" "$@" || rm -rf -- "$folder" || return
    fi
    if [ ! -e "$folder/build.ninja" ]; then
        meson setup "$folder" "$@" || return
    fi
    printf '%s\n' "$wanted" >"$stamp"
}

# The editor's language server looks for it at the top.
link_compile_commands() {
    ln -sfn "$1/compile_commands.json" compile_commands.json
}

# Under sudo, what was made belongs to the user who asked for it.
hand_back() {
    local path
    [ "$(id -u)" -eq 0 ] && [ "${SUDO_UID:-0}" != 0 ] || return 0
    for path in "$@"; do
        if [ -e "$path" ] || [ -L "$path" ]; then
            chown -Rh "$SUDO_UID:${SUDO_GID:-$SUDO_UID}" "$path"
        fi
    done
}
