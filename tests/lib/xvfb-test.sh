#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
#
# Runs a program that needs a display: xvfb-test.sh PROGRAM [ARGUMENT...]
# It gets an X server and a session bus of its own, and its exit status is the script's. The server
# chooses its number itself, so that tests that start together never meet on one.
set -eu
for tool in Xvfb dbus-run-session; do
  command -v "$tool" >/dev/null || {
    echo "Bail out! $tool is missing: ./dev test installs it"
    exit 1
  }
done
folder=$(mktemp -d)
server=
cleanup() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || :
  rm -rf "$folder"
}
trap cleanup EXIT
trap 'exit 143' INT TERM HUP
mkfifo "$folder/number"
# A key is pressed once, however long a busy machine takes to let it go: -r is no auto-repeat.
Xvfb -displayfd 3 -r -screen 0 1600x1000x24 -nolisten tcp 3>"$folder/number" 2>"$folder/log" &
server=$!
read -r number <"$folder/number" || {
  cat "$folder/log"
  echo 'Bail out! Xvfb did not start'
  exit 1
}
# The cairo renderer draws the same pixels everywhere and needs no GL, whose drivers keep memory
# that LeakSanitizer finds; a scale or theme of the session must not reach the test.
unset WAYLAND_DISPLAY GTK_THEME GDK_SCALE GDK_DPI_SCALE
export DISPLAY=":$number" GDK_BACKEND=x11 GSK_RENDERER="${GSK_RENDERER:-cairo}" \
  GDK_DEBUG=gl-disable
status=0
# Services of the bus write where it does; only the program's own words are the test's.
dbus-run-session -- sh -c '"$@" >&3 3>&-' sh "$@" 3>&1 >&2 || status=$?
exit "$status"
