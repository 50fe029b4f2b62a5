#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
#
# What is installed beside the programs is valid, as TAP. usage: check-data.sh SOURCE BUILD
set -u
source=$1
build=$2
id=org.sluice.Workbench
number=0
failed=0

# point NAME COMMAND...: a test that passes if the command succeeds.
point()
{
  name=$1
  shift
  number=$((number + 1))
  if output=$("$@" 2>&1); then
    printf 'ok %d - %s\n' "$number" "$name"
  else
    printf 'not ok %d - %s\n' "$number" "$name"
    printf '%s\n' "$output" | sed 's/^/# /'
    failed=1
  fi
}

desktop_entry()
{
  desktop-file-validate "$build/data/$id.desktop"
}

metainfo()
{
  appstreamcli validate --no-net --no-color "$build/data/$id.metainfo.xml"
}

settings()
{
  glib-compile-schemas --strict --dry-run "$source/data"
}

well_formed()
{
  find "$source/data" "$source/icons" "$source/ui" "$source/app" \
    \( -name '*.svg' -o -name '*.xml' -o -name '*.ui' \) -exec xmllint --noout {} +
}

# The desktop entry's icon is there in both forms, and every other icon is in the resources.
icon_names()
{
  icons=$source/icons
  icon=$(sed -n 's/^Icon=//p' "$build/data/$id.desktop")
  for file in "$icons/hicolor/scalable/apps/$icon.svg" \
    "$icons/hicolor/symbolic/apps/$icon-symbolic.svg"; do
    [ -f "$file" ] || { echo "missing: $file"; return 1; }
  done
  for file in "$icons"/scalable/*/*.svg; do
    grep -q ">${file#"$source"/}<" "$source/data/$id.gresource.xml" ||
      { echo "not in the resources: $file"; return 1; }
  done
}

translations()
{
  for language in $(grep -v '^#' "$source/po/LINGUAS"); do
    msgfmt --check -o /dev/null "$source/po/$language.po" || return 1
  done
  # xgettext reads every file of POTFILES: a string that it cannot extract is an error.
  cd "$source" && grep -v '^#' po/POTFILES | xgettext --from-code=UTF-8 --keyword=_ --keyword=N_ \
    --keyword=C_:1c,2 --files-from=- --output=- >/dev/null
}

# The one made from the table of verbs names each verb; nothing in either upsets man.
man_pages()
{
  for page in "$build/data/man/sluice.1" "$source/data/man/sluice-workbench.1"; do
    grep -q '^\.TH ' "$page" && grep -q '^\.SH NAME' "$page" || { echo "no page: $page"; return 1; }
  done
  for verb in info ops check run train bench draw; do
    grep -q "^\.SS $verb" "$build/data/man/sluice.1" || { echo "not told of: $verb"; return 1; }
  done
}

echo 1..7
point "the desktop entry is valid" desktop_entry
point "the AppStream metainfo is valid" metainfo
point "the settings schema is valid" settings
point "icons, templates and lists are well-formed XML" well_formed
point "every icon is where its name is looked up" icon_names
point "translations are complete and extractable" translations
point "man pages are there and tell of every verb" man_pages
exit $failed
