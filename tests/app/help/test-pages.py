#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""The manual says what is true, and leads nowhere that is not there, as TAP.

usage: test-pages.py COMMAND SOURCE HELP

HELP is the manual as it was built. Each link is followed, each picture looked for, each setting,
key of project.ini and verb looked up, and what the pages show of the command ("console" blocks)
is run: its output must be the page's, where "…" stands for anything.
"""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from tap import Tap

LINK = re.compile(r"(!?)\[([^][]*)\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
HEADING = re.compile(r"^#+ (.*)$", re.M)
# Made from tables of the program; the ops' pages are many and short.
WITHOUT_PICTURES = {"commands", "verbs"}
PATIENCE = 120  # seconds


def anchor(heading):
    """As GitHub makes it of a heading."""
    text = LINK.sub(r"\2", heading).replace("`", "").strip().lower()
    return re.sub(r"[^\w -]", "", text).replace(" ", "-")


def matches(wanted, line):
    return re.fullmatch(".*".join(map(re.escape, wanted.split("…"))), line) is not None


def fits(wanted, lines):
    """Whether lines are those that are wanted; a line "…" is any number of lines."""
    if not wanted:
        return not lines
    if wanted[0] == "…":
        return any(fits(wanted[1:], lines[n:]) for n in range(len(lines) + 1))
    return bool(lines) and matches(wanted[0], lines[0]) and fits(wanted[1:], lines[1:])


class Manual:
    def __init__(self, command, source, folder):
        self.command, self.source, self.folder = command, source, folder
        self.tap = Tap()
        self.pages = {}
        for place, folders, files in os.walk(folder):
            folders[:] = [name for name in folders if name != "pictures"]
            for file in files:
                if file.endswith(".md"):
                    path = os.path.join(place, file)
                    with open(path, encoding="utf-8") as opened:
                        self.pages[os.path.relpath(path, folder)[:-3]] = opened.read()
        self.languages = sorted({name.split("/")[0] for name in self.pages if "/" in name}
                                - {"ops"})
        self.own = [name for name in self.pages if "/" not in name]

    def read(self, *names):
        with open(os.path.join(self.source, *names), encoding="utf-8") as file:
            return file.read()

    def text_of(self, name):
        """Without code in fences."""
        return FENCE.sub("", self.pages[name])

    # ---- links and pictures ----

    def resolve(self, page, target):
        """A page's name; one that a language lacks is the English one."""
        name = os.path.normpath(os.path.join(os.path.dirname(page), target))[:-3]
        language, _, rest = name.partition("/")
        return rest if language in self.languages and name not in self.pages else name

    def check_link(self, page, target):
        path, _, heading = target.partition("#")
        if target.startswith("https://"):
            return None
        if path and not path.endswith(".md"):
            return f"{page}: {target} leads out of the manual"
        name = self.resolve(page, path) if path else page
        if name not in self.pages:
            return f"{page}: there is no {target}"
        anchors = map(anchor, HEADING.findall(self.text_of(name)))
        if heading and heading not in anchors:
            return f"{page}: {target} has no such heading"
        return None

    def links(self):
        wrong = [problem for page in self.pages
                 for mark, _, target in LINK.findall(self.text_of(page)) if not mark
                 for problem in (self.check_link(page, target),) if problem]
        self.tap.point("every link leads somewhere", not wrong, *wrong)
        listed = [self.resolve("index", target) for mark, _, target
                  in LINK.findall("\n".join(re.findall(r"^- .*$", self.pages["index"], re.M)))]
        self.tap.point("the contents have every page once",
                       sorted(listed) == sorted({*self.own, "ops/index"} - {"index"}),
                       set(self.own) ^ set(listed))

    def pictures(self):
        drawn = os.path.join(self.folder, "pictures")
        wrong, used = [], set()
        for page in self.pages:
            found = [(words, target) for mark, words, target in LINK.findall(self.text_of(page))
                     if mark]
            wrong += [f"{page}: {target} has no words" for words, target in found
                      if len(words.split()) < 2]
            # Those of ops are drawn when they are shown.
            op = page.removeprefix("ops/")
            names = {os.path.basename(target) for _, target in found
                     if target not in (op + ".example", op + ".ports")}
            used |= names
            if not names and page.split("/")[-1] not in WITHOUT_PICTURES and "ops/" not in page:
                wrong.append(f"{page} has no picture")
        self.tap.point("every page has pictures, and each has its words", not wrong, *wrong)
        table = re.findall(r"^([\w-]+) +(?:graph|window) ", self.read("data", "help",
                                                                      "pictures.txt"), re.M)
        self.tap.point("every picture is one that is drawn, and none is drawn in vain",
                       used == {name + ".png" for name in table},
                       used ^ {name + ".png" for name in table})
        if not os.path.isdir(drawn):
            self.tap.skip("every picture is there, light and dark", "this build draws none")
            return
        absent = [name for picture in table for name in (picture + ".png", picture + "-dark.png")
                  if not os.path.exists(os.path.join(drawn, name))]
        self.tap.point("every picture is there, light and dark", not absent, *absent)

    # ---- what is told exists, and what exists is told ----

    def settings(self):
        schema = xml.etree.ElementTree.fromstring(
            self.read("data", "org.sluice.Workbench.gschema.xml"))
        keys = {key.get("name"): key.find("default").text.strip("'") for key in schema.iter("key")}
        for page in [p for p in self.pages if p.split("/")[-1] == "settings"]:
            rows = [line for line in self.pages[page].splitlines() if line.startswith("|")]
            told = {}
            for row in rows:
                cells = [cell.strip() for cell in row.strip("|").split("|")]
                told.update(zip(re.findall(r"`([^`]+)`", cells[-2]),
                                re.findall(r"`([^`]+)`", cells[-1])))
            self.tap.point(f"{page}: every setting, with what it is at first", told == keys,
                           set(told.items()) ^ set(keys.items()))
        titles = re.findall(r'add_\w+ \(\w+, settings, "[\w-]+", _ \("([^"]+)"\)',
                            self.read("app", "preferences.c"))
        wrong = [title for title in titles if f"**{title}**" not in self.pages["settings"]]
        self.tap.point("every row of the preferences is told", len(titles) > 5 and not wrong,
                       *wrong)

    def project(self):
        keys = set(re.findall(r'^  \{ "(?:project|train|data|evaluate)", "([\w-]+)", KEY_',
                              self.read("engine", "train", "project.c"), re.M))
        told = {name for line in self.pages["project"].splitlines() if line.startswith("| `")
                for name in re.findall(r"`([\w-]+)`", line.split("|")[1])}
        self.tap.point("project: every key of project.ini", len(keys) > 20 and keys <= told,
                       *(keys - told))

    def verbs(self):
        overview = subprocess.run([self.command, "--help"], capture_output=True, text=True,
                                  check=True, env={**os.environ, "LC_ALL": "C.UTF-8",
                                                   "LANGUAGE": ""}).stdout
        verbs = set(re.findall(r"^  ([a-z-]+) +\S", overview, re.M))
        headings = set(HEADING.findall(self.pages["verbs"]))
        self.tap.point("verbs: each is there", verbs and verbs <= headings, verbs - headings)
        wrong = {f"{page}: {verb}" for page, text in self.pages.items() if "ops/" not in page
                 for verb in re.findall(r"(?:`|^\$ )(?:build/)?sluice ([a-z]+)", text, re.M)
                 if verb not in verbs | {"help"}}
        self.tap.point("every verb that a page names exists", not wrong, *wrong)
        options = set(re.findall(r"--([a-z][a-z-]*)", self.pages["verbs"])) | {"help"}
        named = {f"{page}: --{option}" for page, text in self.pages.items() if "ops/" not in page
                 for option in re.findall(r"(?:^|[ `])--([a-z][a-z-]*)", text, re.M)
                 if option not in options | {"screenshot"}}
        self.tap.point("every option that a page names exists", not named, *named)

    # ---- what is shown is run ----

    def run_line(self, line, wanted, folder, environment):
        """What it prints, line by line. What follows a file is interrupted once it has said what
        the page says."""
        if "--follow" not in line:
            done = subprocess.run(line, shell=True, cwd=folder, env=environment, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                                  timeout=PATIENCE)
            return done.returncode, done.stdout.splitlines()
        with subprocess.Popen("exec " + line, shell=True, cwd=folder, env=environment, text=True,
                              stdout=subprocess.PIPE) as process:
            lines = [process.stdout.readline().rstrip("\n") for _ in wanted]
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=PATIENCE)
        return 0, lines

    def examples(self, page):
        blocks = [body for kind, body in FENCE.findall(self.pages[page]) if kind == "console"]
        if not blocks:
            return
        folder = tempfile.mkdtemp()
        # Examples change projects: of a page, and of no other.
        shutil.copytree(os.path.join(self.source, "data", "samples"),
                        os.path.join(folder, "data", "samples"))
        environment = {**os.environ, "HOME": folder, "LC_ALL": "C.UTF-8", "LANGUAGE": "",
                       "XDG_DATA_HOME": os.path.join(folder, "share"),
                       "PATH": os.path.dirname(self.command) + ":" + os.environ["PATH"]}
        for step in re.split(r"^\$ ", "".join(blocks), flags=re.M)[1:]:
            line, *wanted = step.splitlines()
            status, lines = self.run_line(line, wanted, folder, environment)
            self.tap.point(f"{page}: {line[:60]}", status == 0 and fits(wanted, lines), "wanted:",
                           *wanted, f"printed, with status {status}:", *lines)
        shutil.rmtree(folder)

    # ---- other languages ----

    def translations(self):
        for language in self.languages:
            wrong = []
            for page in [p for p in self.pages if p.startswith(language + "/")]:
                name = page.partition("/")[2]
                if name not in self.pages:
                    wrong.append(f"{page} translates nothing")
                    continue
                same = [[target.rsplit("/", 1)[-1].partition("#")[0]
                         for _, _, target in LINK.findall(self.text_of(p))] for p in (name, page)]
                code = [[body for _, body in FENCE.findall(self.pages[p])] for p in (name, page)]
                if same[0] != same[1]:
                    wrong.append(f"{page}: other links or pictures: {same}")
                if code[0] != code[1]:
                    wrong.append(f"{page}: other examples")
            self.tap.point(f"{language}: pages have the English links, pictures and examples",
                           not wrong, *wrong)
            environment = {**os.environ, "LC_ALL": "C.UTF-8", "LANGUAGE": language}
            for page in self.own:
                shown = subprocess.run([self.command, "help", page], env=environment, text=True,
                                       check=True, stdout=subprocess.PIPE).stdout
                translated = f"{language}/{page}"
                self.tap.point(f"{language}: {page} is shown "
                               + ("translated" if translated in self.pages else "in English"),
                               shown == self.pages.get(translated, self.pages[page]))

    def run(self):
        self.links()
        self.pictures()
        self.settings()
        self.project()
        self.verbs()
        for page in sorted(self.own):
            self.examples(page)
        self.translations()
        done = subprocess.run([self.command, "help", "nosuchpage"], capture_output=True, text=True,
                              check=False)
        self.tap.point("a page that is not there is named", done.returncode == 1
                       and "nosuchpage" in done.stderr, done.stderr)
        self.tap.end()


if __name__ == "__main__":
    Manual(*map(os.path.abspath, sys.argv[1:4])).run()
