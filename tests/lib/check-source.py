#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""House rules that a scan can check, as TAP, of the tree in the current folder or in TOP.

usage: check-source.py [TOP]        check-source.py --write-potfiles [TOP]
"""
import pathlib
import re
import subprocess
import sys

C_SUFFIXES = {".c", ".cc", ".h", ".cu"}
CODE_SUFFIXES = C_SUFFIXES | {".py", ".sh"}
NO_COMMENTS = {".bin", ".csv", ".db", ".graph_execution_traces", ".gz", ".json", ".layout",
               ".npy", ".npz", ".pb", ".png", ".safetensors", ".tsv", ".zip"}
NO_NOTICE = {"LICENSE", ".clang-format", ".gitignore", ".editorconfig"}
TOP_LEVEL = ("api", "app", "engine", "kernels", "ui", "data", "icons", "po", "tests")
MAX_FILE, MAX_FUNCTION, MAX_LINE, MAX_MACRO = 800, 80, 100, 40

# What a folder may include besides itself and the folders below it. The longest row decides.
BASE, GRAPH, DEVICE = "engine/base", "engine/graph", "engine/device"
COST = "engine/cost"
BELOW_RUNTIME = [BASE, GRAPH, DEVICE, COST, "engine/passes", "engine/grad"]
BELOW_TRAIN = BELOW_RUNTIME + ["engine/runtime", "engine/store"]
ARROWS = {
    "engine/base": [],
    "engine/graph": [BASE],
    "engine/device": [BASE, GRAPH],
    "engine/cost": [BASE, GRAPH, DEVICE],
    "engine/passes": [BASE, GRAPH, DEVICE, COST],
    "engine/grad": [BASE, GRAPH, DEVICE],
    "engine/command": [BASE, GRAPH, DEVICE, "engine/grad"],
    "engine/runtime": BELOW_RUNTIME,
    "engine/store": BELOW_RUNTIME,
    "engine/trace": BELOW_TRAIN,
    "engine/train": BELOW_TRAIN + ["engine/command", "engine/trace"],
    "engine": ["engine"],
    "kernels": [BASE, GRAPH, DEVICE, "engine/grad", "engine/store", "kernels"],
    "api": ["engine", "kernels", "api"],
    "ui": [BASE, GRAPH, "ui"],
    "ui/timeline": [BASE, GRAPH, "engine/trace", "ui"],
    "app": ["engine", "kernels", "ui", "app"],
    "data": [BASE, GRAPH, DEVICE, "engine/grad"],  # samples of what users write
    "tests": ["engine", "kernels", "api", "ui", "app", "tests"],
}
# Families of ops that a device may serve; what is in the others lives on the host.
DEVICE_FAMILIES = ("array", "image", "linalg", "math", "nn", "random", "train")
# Words in engine/ that happen to be names of ops, and why they may stay.
NAMED_IN_ENGINE = {
    ("engine/command/command-train.c", "Resource"),  # how optimizers of resource variables begin
    ("engine/device/resource.c", "Variable"),  # a resource's type, as messages name it
    ("engine/passes/text.c", "Const"),  # a role's name in --explain
}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)
GTK = re.compile(r"^(gtk/|adwaita|gdk/|gsk/|graphene)")
TRANSLATED = re.compile(r'\b(N_|C_|NC_|_|n?gettext|g_dngettext)\s*\(\s*"|translatable="(yes|true)"')
MACHINE_PATH = re.compile(r"(^|[^A-Za-z0-9_.])/(work|farm|root|home/[a-z]+)/")


class Tree:
    """The source files under a folder, read once."""

    def __init__(self, top):
        self.top = pathlib.Path(top)
        self.files = sorted(self._walk())
        self.texts = {}

    def _walk(self):
        """What git does not ignore; without git all but its own, builds and subprojects."""
        if (self.top / ".git").exists():
            run = subprocess.run(["git", "ls-files", "-z", "--cached", "--others",
                                  "--exclude-standard"], cwd=self.top, capture_output=True,
                                 text=True, check=False)
            if run.returncode == 0:
                yield from {n for n in run.stdout.split("\0") if n and (self.top / n).is_file()}
                return
        for entry in self.top.iterdir():
            skipped = entry.name == ".git" or entry.name.startswith(("build", "subprojects"))
            if entry.is_file() and not skipped:
                yield entry.name
            elif entry.is_dir() and not skipped:
                for path in entry.rglob("*"):
                    if path.is_file() and "__pycache__" not in path.parts:
                        yield str(path.relative_to(self.top))

    def having(self, suffixes, folders=TOP_LEVEL):
        return [f for f in self.files if pathlib.PurePath(f).suffix in suffixes
                and f.startswith(tuple(folder + "/" for folder in folders))]

    def text(self, name):
        if name not in self.texts:
            self.texts[name] = (self.top / name).read_text(errors="replace")
        return self.texts[name]


def check_format(tree):
    """clang-format owns every C and C++ file."""
    names = tree.having({".c", ".cc", ".h"})
    run = subprocess.run(["clang-format", "--dry-run", "-Werror", *names],
                         cwd=tree.top, capture_output=True, text=True, check=False)
    found = sorted(set(re.findall(r"^(\S+?):\d+:\d+: error", run.stderr, re.M)))
    if run.returncode and not found:
        return run.stderr.splitlines()
    return [f"{name}: run clang-format -i on it" for name in found]


def rule_of(name):
    rows = [row for row in ARROWS if name.startswith(row + "/")]
    return max(rows, key=len) if rows else None


def check_arrows(tree):
    """Includes follow the arrows."""
    wrong = []
    for name in tree.having(C_SUFFIXES):
        row = rule_of(name)
        for quote, target in INCLUDE.findall(tree.text(name)):
            inside = target.startswith(tuple(folder + "/" for folder in TOP_LEVEL))
            if quote == "<" or not inside:
                if quote == '"' and (tree.top / pathlib.PurePath(name).parent / target).exists():
                    wrong.append(f"{name}: include \"{target}\" by its path from the top")
                continue
            if not any(target.startswith(folder + "/") for folder in ARROWS[row] + [row]):
                wrong.append(f"{name}: {row} must not include {target}")
    return wrong


def reachable(tree, name, seen):
    """Every system header that a file includes, itself or through ours, with the way to it."""
    for quote, target in INCLUDE.findall(tree.text(name)):
        if quote == "<":
            yield target, name
        elif target in tree.files and target not in seen:
            seen.add(target)
            yield from reachable(tree, target, seen)


def core_sources(tree):
    """What stands in files() of a variable called ..._core_sources in a meson.build of ui/."""
    for build in (f for f in tree.files if f.startswith("ui/") and f.endswith("meson.build")):
        for block in re.findall(r"core_sources\s*\+?=\s*files\s*\((.*?)\)", tree.text(build), re.S):
            for source in re.findall(r"'([^']+)'", block):
                yield str(pathlib.PurePath(build).parent / source)


def check_no_gtk(tree):
    """Neither engine, kernels, library, command line nor the cores of ui/ reach GTK."""
    folders = ("api", "engine", "kernels", "app/cli")
    names = tree.having(C_SUFFIXES, folders) + list(core_sources(tree))
    return [f"{name}: reaches <{header}> through {way}" for name in names if name in tree.files
            for header, way in reachable(tree, name, {name}) if GTK.match(header)]


def check_notices(tree):
    """SPDX notices stand at the top of every file that can hold a comment."""
    wrong = []
    for name in tree.files:
        path = pathlib.PurePath(name)
        if path.name in NO_NOTICE or path.suffix in NO_COMMENTS or "corpus" in path.parts:
            continue
        head = "\n".join(tree.text(name).splitlines()[:6])
        if "SPDX-License-Identifier:" not in head or "SPDX-FileCopyrightText:" not in head:
            wrong.append(f"{name}: no SPDX notice")
    return wrong


def translated_files(tree):
    folders = ("app", "ui", "engine", "kernels", "data")
    names = tree.having({".c", ".h", ".ui"}, folders)
    found = [name for name in names if TRANSLATED.search(tree.text(name))]
    data = ("data/org.sluice.Workbench.desktop.in", "data/org.sluice.Workbench.metainfo.xml.in",
            "data/org.sluice.Workbench.gschema.xml")
    return sorted(found + [name for name in (*data, LAYER_TEXTS) if name in tree.files])


# What people read of *.layer, as something that gettext's tools extract.
LAYER_TEXTS = "data/layers/texts.c.in"
LAYER_LINE = re.compile(r"(?:parameter \S+ \S+|input|layer|loss|metric|optimizer|schedule|clipping"
                        r'|summary) ("(?:\\.|[^"\\])*")')


def layer_texts(tree):
    """A line for each text of the templates that people choose from, each once."""
    names = [name for name in tree.having({".layer"}, ("data",))
             if not re.search("^part ", tree.text(name), re.M)]
    texts = {found[1] for name in names for line in tree.text(name).splitlines()
             if (found := LAYER_LINE.match(line))}
    return [f"N_ ({text})" for text in sorted(texts)]


def check_layer_texts(tree):
    """The texts of layers are among those that are translated."""
    listed = [line for line in tree.text(LAYER_TEXTS).splitlines() if line.startswith("N_")] \
        if LAYER_TEXTS in tree.files else []
    if listed == layer_texts(tree):
        return []
    return [f"{LAYER_TEXTS}: not what layers say; run tests/lib/check-source.py --write-potfiles"]


def check_potfiles(tree):
    """po/POTFILES names every file with something to translate, and no other."""
    listed = [line for line in tree.text("po/POTFILES").splitlines() if line and line[0] != "#"]
    wanted = translated_files(tree)
    hint = "run tests/lib/check-source.py --write-potfiles"
    absent = [f"{name}: not in po/POTFILES; {hint}" for name in wanted if name not in listed]
    idle = [f"{name}: in po/POTFILES for nothing; {hint}" for name in listed if name not in wanted]
    return absent + idle


MESSAGE = re.compile(
    r'\b(?:N_|C_|NC_|_|n?gettext|g_dngettext)\s*\((?:\s|"(?:\\.|[^"\\])*"|,|\w+\s*,)*?'
    r'\b(G_\w+_FORMAT|PRIi\w+)')


def check_messages(tree):
    """No macro of GLib's stands in a message: xgettext would cut the message off there."""
    return [f"{name}: {found[1]} in a message; <inttypes.h> has one that gettext knows"
            for name in tree.having(C_SUFFIXES, PROGRAM)
            for found in MESSAGE.finditer(tree.text(name))]


def long_functions(text):
    """(line, length) of C functions, whose braces clang-format puts alone in the first column."""
    start = None
    for number, line in enumerate(text.splitlines(), 1):
        if line == "{":
            start = number
        elif line.startswith("}") and start:
            if number - start - 1 > MAX_FUNCTION:
                yield start, number - start - 1
            start = None


def long_lines(lines):
    """(line, columns) outside of tables, which stand between clang-format off and on."""
    in_table = False
    for number, line in enumerate(lines, 1):
        if "clang-format o" in line:
            in_table = "clang-format off" in line
        if len(line) > MAX_LINE and not in_table:
            yield number, len(line)


def check_sizes(tree):
    """Lines, functions and files stay short."""
    wrong = []
    for name in tree.files:
        foreign = name.startswith("tests/conformance/generator/")
        if foreign or pathlib.PurePath(name).suffix not in CODE_SUFFIXES and name != "dev":
            continue
        lines = tree.text(name).splitlines()
        if len(lines) > MAX_FILE:
            wrong.append(f"{name}: {len(lines)} lines, over {MAX_FILE}")
        wrong += [f"{name}:{number}: {columns} columns, over {MAX_LINE}"
                  for number, columns in long_lines(lines)]
        if name.endswith((".c", ".cc", ".h", ".cu")):
            wrong += [f"{name}:{number}: a function of {length} lines, over {MAX_FUNCTION}"
                      for number, length in long_functions(tree.text(name))]
    return wrong


def check_paths(tree):
    """No path of somebody's machine stands in the tree."""
    return [f"{name}:{number}: {line.strip()[:80]}" for name in tree.files
            if pathlib.PurePath(name).suffix not in NO_COMMENTS and "/corpus/" not in name
            for number, line in enumerate(tree.text(name).splitlines(), 1)
            if MACHINE_PATH.search(line) and "MACHINE_PATH" not in line]


def long_macros(text):
    """(line, length) of macros, into which no debugger steps."""
    start = None
    for number, line in enumerate(text.splitlines(), 1):
        if start is None and re.match(r"\s*#\s*define\b", line):
            start = number
        if start is not None and not line.endswith("\\"):
            if number - start + 1 > MAX_MACRO:
                yield start, number - start + 1
            start = None


def check_macros(tree):
    """Macros stay short; loops for several types are a header that is included once a type."""
    return [f"{name}:{number}: a macro of {length} lines, over {MAX_MACRO}"
            for name in tree.having(C_SUFFIXES)
            for number, length in long_macros(tree.text(name))]


def without_comments(text):
    """The text with its comments blanked; lines keep their numbers."""
    return re.sub(r'("(?:\\.|[^"\\\n])*")|/\*.*?\*/|//[^\n]*',
                  lambda m: m.group(1) or "\n" * m.group(0).count("\n"), text, flags=re.S)


PROGRAM = tuple(folder for folder in TOP_LEVEL if folder != "tests")


def check_threads(tree):
    """Threads are begun by sluice_thread_start() only, whose failure is an error."""
    return [f"{name}:{number}: call sluice_thread_start()"
            for name in tree.having(C_SUFFIXES, PROGRAM) if name != "engine/base/thread.c"
            for number, line in enumerate(without_comments(tree.text(name)).splitlines(), 1)
            if re.search(r"\bpthread_create\s*\(", line)]


def check_cpu_files(tree):
    """CPU kernels of families that other devices may serve stand in OP-cpu.c."""
    folders = [f"kernels/{family}" for family in DEVICE_FAMILIES]
    return [f"{name}: its kernels belong in a file that ends in -cpu.c"
            for name in tree.having({".c"}, folders) if not name.endswith("-cpu.c")
            and re.search(r"\.n_kernels\b|\bSluiceKernel \w+\[\] =", tree.text(name))]


def check_type_names(tree):
    """A type's name means one thing."""
    homes = {}
    for name in tree.having({".c", ".h"}, PROGRAM):
        text = without_comments(tree.text(name))
        defined = (re.findall(r"^\} (Sluice\w+);", text, re.M)
                   + re.findall(r"^(?:struct|union|enum) _?(Sluice\w+)\n\{", text, re.M)
                   + re.findall(r"^typedef (?!struct|union|enum)[^;]*?\b(Sluice\w+);", text, re.M)
                   + re.findall(r"^typedef [^;]*?\(\*(Sluice\w+)\)", text, re.M))
        for type_name in defined:
            homes.setdefault(type_name, set()).add(name)
    return [f"{type_name}: defined in {' and '.join(sorted(names))}"
            for type_name, names in sorted(homes.items()) if len(names) > 1]


def op_names(tree):
    """The names of ops that kernels/ defines: in definitions, and in lines of macros and tables."""
    names = set()
    for name in tree.having({".c", ".h"}, ("kernels",)):
        text = without_comments(tree.text(name))
        names.update(re.findall(r'\.(?:name|op) = "([A-Z]\w+)"', text))
        names.update(re.findall(r'\b[A-Z][A-Z0-9_]* \((?:\s*\w+,)*\s*"([A-Z]\w+)"', text))
    return names


def check_op_names(tree):
    """The engine knows no op by name; what it must know is a role."""
    names = op_names(tree)
    return [f'{name}:{number}: "{text}" is an op; ask for its role'
            for name in tree.having({".c", ".h"}, ("engine",))
            for number, line in enumerate(without_comments(tree.text(name)).splitlines(), 1)
            for text in re.findall(r'"((?:\\.|[^"\\])*)"', line)
            if text in names and (name, text) not in NAMED_IN_ENGINE]


def function_definitions(text):
    """(line, name, is static) of functions: the return type on a line of its own, as clang-format
    has it."""
    lines = without_comments(text).splitlines()
    for number, line in enumerate(lines):
        found = re.match(r"(?!__attribute__)(\w+) \(", line)
        if not found or number == 0:
            continue
        end = number
        while end < len(lines) and not lines[end].rstrip().endswith((")", ";", "{", "}")):
            end += 1
        while end < len(lines) and lines[end].rstrip().endswith(","):
            end += 1
        if end + 1 < len(lines) and lines[end + 1] == "{":
            yield number + 1, found.group(1), bool(re.search(r"\bstatic\b|SLUICE_SCALAR",
                                                             lines[number - 1]))


def global_objects(text):
    """(line, name) of variables that are defined or declared outside of functions, not static."""
    for number, line in enumerate(without_comments(text).splitlines(), 1):
        if re.match(r"(static|typedef|struct|union|enum|return|goto)\b|_Static_assert", line):
            continue
        found = re.match(r"(?:[A-Za-z_]\w*[ *]+)+(\w+)(?:\[[^\]]*\])*(?: =|;|,)", line)
        if found:
            yield number, found.group(1)


def check_prefix(tree):
    """Every global name begins with sluice_."""
    wrong = []
    for name in tree.having({".c", ".cc", ".h"}, PROGRAM):
        found = [(number, f"{function}()") for number, function, is_static
                 in function_definitions(tree.text(name)) if not is_static and function != "main"]
        found += global_objects(tree.text(name))
        wrong += [f"{name}:{number}: {symbol} is global and does not begin with sluice_"
                  for number, symbol in sorted(found) if not symbol.startswith("sluice_")]
    return wrong


def is_home(header, source):
    """Is X.h's, or X-private.h's, function at home here: in X.c or X-*.c of the same folder?"""
    header, source = pathlib.PurePath(header), pathlib.PurePath(source)
    stem = header.stem.removesuffix("-private")
    return header.parent == source.parent and (
        source.stem == stem or source.stem.startswith(stem + "-"))


def check_homes(tree):
    """What X.h declares is defined in X.c or X-*.c beside it."""
    homes = {}
    for name in tree.having({".c", ".cc"}, PROGRAM):
        for number, function, is_static in function_definitions(tree.text(name)):
            if not is_static:
                homes[function] = (name, number)
    headers = {}
    for name in tree.having({".h"}, PROGRAM):
        text = re.sub(r"^G_\w+ \(.*\)$", "", without_comments(tree.text(name)), flags=re.M)
        for function in re.findall(r"^[\w* ]*?\b(\w+) \((?![^;{]*\{)[^;]*;", text, re.M):
            headers.setdefault(function, []).append(name)
    return [f"{source}:{number}: {function}() is declared in {headers[function][0]}"
            for function, (source, number) in sorted(homes.items(), key=lambda item: item[1])
            if function in headers and not any(is_home(h, source) for h in headers[function])]


def check_autos(tree):
    """What a scope frees at its end is not returned from it; g_steal_pointer() hands it on."""
    owned = re.compile(r"g_auto(?:ptr|list|slist|queue)? ?\([^)]*\) (\w+)|g_autofree [\w ]*\*+ ?(\w+)")
    wrong = []
    for name in tree.having({".c", ".h"}):
        text = without_comments(tree.text(name))
        for body in re.finditer(r"^\{\n.*?^\}", text, re.M | re.S):
            for found in owned.finditer(body[0]):
                variable = found[1] or found[2]
                leak = re.search(rf"\breturn {variable};", body[0][found.end():])
                if leak:
                    number = text[:body.start() + found.end() + leak.start()].count("\n") + 1
                    wrong.append(f"{name}:{number}: {variable} is freed where it is returned")
    return wrong


CHECKS = [check_format, check_arrows, check_no_gtk, check_notices, check_potfiles,
          check_layer_texts, check_messages,
          check_sizes, check_paths, check_macros, check_threads, check_cpu_files, check_type_names,
          check_op_names, check_prefix, check_homes, check_autos]


def write_potfiles(tree):
    notice = tree.text("po/LINGUAS").splitlines()[:2]
    texts = [f"/* {line[2:]} */" for line in notice]
    texts += ["/* Written by check-source.py --write-potfiles. */", *layer_texts(tree)]
    if len(texts) > 3:
        (tree.top / LAYER_TEXTS).write_text("".join(f"{line}\n" for line in texts))
    names = notice + translated_files(tree)
    (tree.top / "po/POTFILES").write_text("".join(f"{name}\n" for name in names))


def main(arguments):
    write = "--write-potfiles" in arguments
    rest = [a for a in arguments if a != "--write-potfiles"]
    tree = Tree(rest[0] if rest else ".")
    if write:
        write_potfiles(tree)
        return 0
    print(f"1..{len(CHECKS)}")
    failed = 0
    for number, check in enumerate(CHECKS, 1):
        wrong = check(tree)
        failed += bool(wrong)
        print(f"{'not ' if wrong else ''}ok {number} - {check.__doc__.rstrip('.')}")
        for line in wrong:
            print(f"# {line}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
