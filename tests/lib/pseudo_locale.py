# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""A language in which every letter has an accent: what shows a plain word is not translated.

Of each message in the sources the translation is the message itself, between ⟦ and ⟧, its letters
accented; what printf and markup read stays. The rest of what a person sees is data.
"""
import ast
import os
import re
import subprocess

# The language's code: ISO 639 leaves qaa to qtz to local use.
LANGUAGE = "qps"
DOMAIN = "sluice"

PLAIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
ACCENTED = "áƀćďéƒĝĥíĵķĺɱńőṕʠŕśţúṽŵẋýžÁɃĆĎÉƑĜĤÍĴĶĹṀŃŐṔɊŔŚŢÚṼŴẊÝŽ"
TO_ACCENTED = str.maketrans(PLAIN, ACCENTED)
# What programs read: a directive of printf, gettext's name of one, a tag, an entity.
READ_BY_PROGRAMS = re.compile(
    r"(%(?:\d+\$)?[-+ #0']*(?:\d+|\*)?(?:\.(?:\d+|\*))?(?:hh|h|ll|l|z|j)?(?:[a-zA-Z%]|<PRI\w+>)"
    r"|</?\w+>|&\w+;)")
WORD = re.compile(r"(?<![^\W_])[A-Za-z]{2,}(?![^\W_])")


def accent(message):
    parts = READ_BY_PROGRAMS.split(message)
    return "".join(part if number % 2 else part.translate(TO_ACCENTED)
                   for number, part in enumerate(parts))


def translate(message):
    body = message.strip("\n")
    begin = message[:len(message) - len(message.lstrip("\n"))]
    end = message[len(message.rstrip("\n")):] if body else ""
    return f"{begin}⟦{accent(body)}⟧{end}"


def quote(text):
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return '"' + escaped.replace("\t", "\\t").replace("\r", "\\r") + '"'


def extract(source):
    """The text of a template of all messages in the sources."""
    with open(os.path.join(source, "po", "POTFILES"), encoding="utf-8") as file:
        names = [line.strip() for line in file if line.strip() and line[0] != "#"]
    keywords = ("_", "N_", "C_:1c,2", "NC_:1c,2", "g_dcgettext:2", "g_dngettext:2,3",
                "g_dpgettext2:2c,3")
    return subprocess.run(
        ["xgettext", "--from-code=UTF-8", "--no-wrap", "--no-location", "-o", "-", "-D", source,
         *(f"--keyword={word}" for word in keywords), *names],
        check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout


def read_entries(text):
    """Of a .po file: for each message its fields by name, as Python's texts; "#" has its flags."""
    for block in re.split(r"\n\s*\n", text):
        fields, current = {"#": set()}, None
        for line in block.splitlines():
            if line.startswith("#,"):
                fields["#"].update(flag.strip() for flag in line[2:].split(","))
            found = re.match(r'(msg\w+(?:\[\d\])?)?\s*(".*")$', line)
            if not found:
                continue
            current = found[1] or current
            # Quoted as C does it; no message has more escapes than Python shares.
            fields[current] = fields.get(current, "") + ast.literal_eval(found[2])
        if "msgid" in fields:
            yield fields


def read_messages(text):
    """(context, message, plural) of a template but for its head."""
    for fields in read_entries(text):
        if fields["msgid"]:
            yield fields.get("msgctxt"), fields["msgid"], fields.get("msgid_plural")


def make(source, folder, language=LANGUAGE):
    """Makes the language's translations under folder, for TEXTDOMAINDIR. As those of a real one
    that is written from right to left they mirror the window: the toolkit does so only where the
    program speaks the language."""
    text = ('msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n'
            '"Plural-Forms: nplurals=2; plural=n != 1;\\n"\n')
    for context, message, plural in read_messages(extract(source)):
        text += "\n" + (f"msgctxt {quote(context)}\n" if context else "") + "#, c-format\n" * (
            "%" in message and "<PRI" in message) + f"msgid {quote(message)}\n"
        text += (f"msgid_plural {quote(plural)}\nmsgstr[0] {quote(translate(message))}\n"
                 f"msgstr[1] {quote(translate(plural))}\n" if plural
                 else f"msgstr {quote(translate(message))}\n")
    place = os.path.join(folder, language, "LC_MESSAGES")
    os.makedirs(place)
    subprocess.run(["msgfmt", "-o", os.path.join(place, DOMAIN + ".mo"), "-"], check=True,
                   input=text, text=True)
    return folder


def environment(folder):
    """In which a program speaks the language: gettext translates in no locale called C."""
    return {**os.environ, "LC_ALL": "C.UTF-8", "LANGUAGE": LANGUAGE, "TEXTDOMAINDIR": folder}


def plain_words(text, data):
    """The words of a text that neither are translated nor stand in the set of data."""
    return [word for word in WORD.findall(text) if word not in data]
