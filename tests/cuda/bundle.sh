#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
#
# bundle.sh BUILD OUT: what a machine with a CUDA device needs to run hardware.sh and lacks, in two
# archives: the programs with the module, and the shared libraries that they name, which are kept
# where they are there already. CUDA's own come from that machine.
set -eu
build=$1 out=$2
programs="$build/sluice $build/tests/run-cases $build/sluice-cuda.so $build/tests/cuda/trap.so"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/bin" "$work/lib" "$work/glibc" "$out"
for f in $programs; do
  strip -o "$work/bin/$(basename "$f")" "$f"
done
tar -C "$work" -cf - bin | xz -T2 -3 > "$out/programs.tar.xz"
if [ ! -e "$out/libraries.tar.xz" ]; then
  # The C library only serves where that of the machine is older: the newer goes with any driver.
  # shellcheck disable=SC2086
  ldd $programs | awk '$2 == "=>" { print $3 }' | sort -u | while read -r lib; do
    case $(basename "$lib") in
      libc.so.* | libm.so.* | libdl.so.* | librt.so.* | libpthread.so.* | libresolv.so.*)
        cp -L "$lib" "$work/glibc" ;;
      libcuda.so.* | libnvidia* | libcublas* | libcudnn*) ;;
      *) cp -L "$lib" "$work/lib" ;;
    esac
  done
  cp -L /lib64/ld-linux-x86-64.so.2 "$work/glibc"
  strip --strip-unneeded "$work"/lib/*.so* 2>/dev/null || true
  tar -C "$work" -cf - lib glibc | xz -T2 -3 > "$out/libraries.tar.xz"
fi
ls -l "$out"/*.tar.xz
