#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
#
# The front door on a machine made of stand-ins for dpkg, apt, meson and the programs, as TAP.
# usage: test-dev.sh PATH-OF-DEV
set -u
dev=$1
number=0
failed=0
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT

# stand_in NAME BODY: a program that logs its call, then runs BODY.
stand_in()
{
  printf '#!/bin/sh\nprintf "%%s\\n" "%s $*" >>"%s/log"\n%s\n' "$1" "$top" "$2" >"$top/bin/$1"
  chmod +x "$top/bin/$1"
}

# machine MISSING USER-ID: a fresh checkout on a machine that has all packages but those named.
machine()
{
  rm -rf "$top/bin" "$top/tree" "$top/log"
  mkdir -p "$top/bin" "$top/tree/build" "$top/tree/tests/lib"
  : >"$top/log"
  cp "$dev" "$top/tree/dev"
  for tool in sh sed tr dirname cat env rm mkdir; do
    ln -s "$(command -v $tool)" "$top/bin/$tool"
  done
  stand_in id "echo $2"
  stand_in dpkg-query "shift 2
for p; do case \" $1 \" in *\" \$p \"*) echo \"un  \$p\" ;; *) echo \"ii  \$p\" ;; esac; done"
  stand_in apt-get ""
  # shellcheck disable=SC2016
  stand_in meson 'case $1 in setup) mkdir -p "$2"; : >"$2/build.ninja" ;; esac'
  stand_in ninja ""
  stand_in python3 ""
  for program in sluice sluice-workbench; do
    stand_in "$program" ""
    mv "$top/bin/$program" "$top/tree/build/"
  done
}

# call VERB...: runs dev on that machine, without a display unless $display is set.
call()
{
  output=$(cd / && env -i PATH="$top/bin" DISPLAY="${display-}" "$top/tree/dev" "$@" 2>&1)
  status=$?
  log=$(grep -v '^id \|^dpkg-query ' "$top/log")
}

has()
{
  printf '%s\n' "$log" "$output" | grep -qF -- "$1"
}

# point NAME: a test that passes if the command before it succeeded.
point()
{
  result=$?
  number=$((number + 1))
  if [ $result -eq 0 ]; then
    printf 'ok %d - %s\n' "$number" "$1"
  else
    printf 'not ok %d - %s\n' "$number" "$1"
    printf 'status %s\n%s\n%s\n' "$status" "$output" "$log" | sed 's/^/# /'
    failed=1
  fi
}

echo 1..10

machine "" 1000
call build
[ $status -eq 0 ] && [ "$(printf '%s\n' "$log" | head -n 1)" = "meson setup build" ] &&
  has "ninja -C build" && ! has apt-get
point "where nothing is missing nothing is installed"

call build
[ $status -eq 0 ] && [ "$(printf '%s\n' "$log" | grep -c 'meson setup')" -eq 1 ]
point "a folder that is configured is not configured again"

machine "meson gettext" 0
call build
[ $status -eq 0 ] && [ "$(printf '%s\n' "$log" | head -n 1)" = "apt-get update" ] &&
  has "apt-get install -y --no-install-recommends meson gettext"
point "as root, what is missing is installed by name after an update"

machine "meson" 1000
call build
[ $status -eq 1 ] && ! printf '%s\n' "$log" | grep -q . && has "apt-get update && env" &&
  has "apt-get install -y --no-install-recommends meson"
point "with neither root nor sudo the exact command is printed and nothing runs"

machine "meson" 1000
# shellcheck disable=SC2016
stand_in sudo '"$@"'
call build
[ $status -eq 0 ] && has "sudo apt-get update" && has "sudo env DEBIAN_FRONTEND=noninteractive"
point "sudo is used where there is one"

machine "" 1000
call test
has "meson setup build -Dwerror=true" && has "meson test -C build --no-rebuild" &&
  has "python3 tests/lib/count-tests.py --all build"
point "test makes warnings errors and counts everything"

call test some-name
has "meson test -C build --no-rebuild --print-errorlogs some-name" &&
  has "python3 tests/lib/count-tests.py build"
point "test NAME runs and counts that one"

machine "" 1000
call run
[ $status -eq 0 ] && has "sluice train data/samples/" && has "sluice draw data/samples/" &&
  ! has "sluice-workbench --start"
point "run trains in the terminal where there is no display"

machine "" 1000
display=:7
call run
display=
[ $status -eq 0 ] && has "sluice-workbench --start data/samples/digits-mlp" && ! has "sluice train"
point "run opens the window where there is a display"

call no-such-verb
[ $status -eq 1 ] && has "usage:" && has 'no verb "no-such-verb"'
point "an unknown verb is told"

exit $failed
