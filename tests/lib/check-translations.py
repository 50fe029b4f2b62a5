#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""The translations that po/LINGUAS names are complete, as TAP.

usage: check-translations.py SOURCE
"""
import collections
import os
import pathlib
import re
import subprocess
import sys

import pseudo_locale

# What else than words a translation must keep: directives of printf, options, names in backquotes.
KEPT = re.compile(r"%(?:\d+\$)?[-+ #0']*\d*(?:\.\d+)?(?:hh|h|ll|l|z)?(?:[a-zA-Z%]|<PRI\w+>)"
                  r"|--[a-z][a-z-]*|`[^`]*`")


def key(fields):
    return fields.get("msgctxt"), fields["msgid"], fields.get("msgid_plural")


def translations(fields):
    return [text for name, text in sorted(fields.items()) if name.startswith("msgstr")]


def untranslated(wanted, entries):
    """Messages of the sources without a translation, or with one that nobody has looked at."""
    done = {key(e) for e in entries if "fuzzy" not in e["#"] and all(translations(e))}
    return [repr(message[1]) for message in wanted if message not in done]


def left_over(wanted, entries):
    wanted = set(wanted)
    return [repr(e["msgid"]) for e in entries if e["msgid"] and key(e) not in wanted]


def altered(entries):
    """What programs read is in each translation as it is in the message."""
    wrong = []
    for e in entries:
        if not e["msgid"]:
            continue
        for number, text in enumerate(translations(e)):
            source = e["msgid_plural"] if number else e["msgid"]
            if sorted(KEPT.findall(source)) != sorted(KEPT.findall(text)):
                wrong.append(f"{source!r}: {text!r}")
    return wrong


def mnemonic(label):
    found = re.search(r"_(\w)", label.replace("__", ""))
    return found[1].lower() if found else None


def menus(source):
    """Lists of labels that are seen together: the menus of the templates, and of each function that
    makes one or a dialog's buttons."""
    for path in sorted(source.glob("app/**/*.ui")):
        for menu in re.findall(r"<menu .*?</menu>", path.read_text(encoding="utf-8"), re.S):
            yield path.name, re.findall(r'name="label" translatable="yes">([^<]*)<', menu)
    for folder in ("app", "ui"):
        for path in sorted(source.glob(folder + "/**/*.c")):
            for body in re.findall(r"^\{.*?^\}", path.read_text(encoding="utf-8"), re.S | re.M):
                yield path.name, [label for label in re.findall(r'_ \("([^"]*)"\)', body)
                                  if mnemonic(label)]


def colliding(source, translated):
    """Entries of one menu that share a mnemonic, in the language but not in the sources."""
    wrong = []
    for name, labels in menus(source):
        keys = collections.defaultdict(set)
        for label in labels:
            text = translated.get(label, label)
            if mnemonic(text):
                keys[mnemonic(text)].add(text)
        wrong += [f"{name}: {', '.join(sorted(texts))}" for texts in keys.values()
                  if len(texts) > 1]
    return wrong


def main(source):
    number = 0

    def point(name, wrong):
        nonlocal number
        number += 1
        print(f"{'not ok' if wrong else 'ok'} {number} - {name}")
        for line in wrong[:40]:
            print("#", line)
        return bool(wrong)

    source = pathlib.Path(source)
    wanted = list(pseudo_locale.read_messages(pseudo_locale.extract(source)))
    failed = point("no two entries of a menu share a mnemonic", colliding(source, {}))
    languages = [line.strip() for line in (source / "po/LINGUAS").read_text().splitlines()
                 if line.strip() and line[0] != "#"]
    for language in languages:
        path = source / "po" / (language + ".po")
        entries = list(pseudo_locale.read_entries(path.read_text(encoding="utf-8")))
        checked = subprocess.run(["msgfmt", "-c", "-o", os.devnull, path], capture_output=True,
                                 text=True, check=False)
        words = {e["msgid"]: translations(e)[0] for e in entries}
        failed |= any([point(f"{language}: nothing is untranslated or fuzzy",
                             untranslated(wanted, entries)),
                       point(f"{language}: nothing is left over", left_over(wanted, entries)),
                       point(f"{language}: msgfmt has nothing to say",
                             checked.stderr.splitlines()),
                       point(f"{language}: directives, options and names are kept",
                             altered(entries)),
                       point(f"{language}: mnemonics do not collide", colliding(source, words))])
    print(f"1..{number}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
