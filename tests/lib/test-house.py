#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""The house rules' own test, as TAP: each rule finds what it is there to find."""
import importlib.util
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
NOTICE = "/* SPDX-License-Identifier: Apache-2.0 */\n/* SPDX-FileCopyrightText: Somebody */\n"


def load(name):
    spec = importlib.util.spec_from_file_location(name.replace("-", "_"), HERE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


source, counting = load("check-source"), load("count-tests")


def findings(check, files):
    """What a rule says of a tree made of these files."""
    with tempfile.TemporaryDirectory() as top:
        for name, text in files.items():
            path = pathlib.Path(top) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return check(source.Tree(top))


def test_walk():
    """What git ignores is nobody's; without git builds are not ours."""
    files = {".gitignore": "/bundle/\n", "bundle/a.c": "", "app/a.c": "", "build/b.c": ""}
    ours = [".gitignore", "app/a.c"]

    def walk_in_git(tree):
        subprocess.run(["git", "init", "-q"], cwd=tree.top, check=True)
        return source.Tree(tree.top).files
    return (findings(walk_in_git, files) == [*ours, "build/b.c"]
            and findings(lambda tree: tree.files, files) == [*ours, "bundle/a.c"])


def test_format():
    bad = "int main(void){return 0;}\n"
    good = "int\nmain (void)\n{\n  return 0;\n}\n"
    style = (HERE.parent.parent / ".clang-format").read_text()
    return (findings(source.check_format, {".clang-format": style, "app/a.c": bad})
            == ["app/a.c: run clang-format -i on it"]
            and findings(source.check_format, {".clang-format": style, "app/a.c": good}) == [])


def arrow(name, target):
    return findings(source.check_arrows, {name: f'#include "{target}"\n'})


def test_arrows():
    wrong = [("engine/base/a.c", "engine/graph/b.h"), ("engine/graph/a.c", "engine/device/b.h"),
             ("engine/grad/a.c", "engine/passes/b.h"), ("engine/runtime/a.c", "engine/store/b.h"),
             ("engine/store/a.c", "engine/runtime/b.h"), ("engine/train/a.c", "kernels/b.h"),
             ("kernels/math/a.c", "ui/b.h"), ("ui/chart/a.c", "app/b.h"),
             ("ui/chart/a.c", "engine/runtime/b.h")]
    right = [("engine/graph/a.c", "engine/base/b.h"), ("engine/train/a.c", "engine/store/b.h"),
             ("engine/runtime/a.c", "engine/passes/b.h"), ("kernels/math/a.c", "kernels/nn/b.h"),
             ("app/cli/a.c", "kernels/registry.h"), ("tests/app/a.c", "app/b.h")]
    return (all(len(arrow(*pair)) == 1 for pair in wrong)
            and not any(arrow(*pair) for pair in right))


def test_no_gtk():
    hidden = {"engine/base/a.c": '#include "engine/base/b.h"\n',
              "engine/base/b.h": "#include <gtk/gtk.h>\n"}
    core = {"ui/chart/meson.build": "chart_core_sources = files('a.c')\n",
            "ui/chart/a.c": "#include <adwaita.h>\n", "ui/chart/w.c": "#include <gtk/gtk.h>\n"}
    return (len(findings(source.check_no_gtk, hidden)) == 2
            and [line.split(":")[0] for line in findings(source.check_no_gtk, core)]
            == ["ui/chart/a.c"])


def test_notices():
    files = {"app/a.c": NOTICE, "app/b.c": "int b;\n", "app/c.json": "{}\n"}
    return findings(source.check_notices, files) == ["app/b.c: no SPDX notice"]


def test_potfiles():
    files = {"app/a.c": 'f (_("hello"));\n', "app/b.c": "int b;\n", "po/POTFILES": "app/b.c\n",
             "ui/c.ui": '<property name="label" translatable="yes">x</property>\n'}
    told = [line.split(":")[0] for line in findings(source.check_potfiles, files)]
    return told == ["app/a.c", "ui/c.ui", "app/b.c"]


def test_layer_texts():
    layer = 'layer "L"\nparameter a x|y "A" default=x\ndo\nneed $a = x "no text of it"\n'
    part = 'part "P"\nparameter b int "B"\ndo\n'
    names = {"data/layers/l.layer": layer, "data/layers/p.layer": part}
    texts = 'N_ ("A")\nN_ ("L")\n'
    return (told(source.check_layer_texts, names) == [source.LAYER_TEXTS]
            and told(source.check_layer_texts, names | {source.LAYER_TEXTS: texts + texts})
            == [source.LAYER_TEXTS]
            and not told(source.check_layer_texts, names | {source.LAYER_TEXTS: texts}))


def test_messages():
    files = {"app/a.c": '  f (_ ("%" G_GINT64_FORMAT " steps"), n);\n',
             "ui/b.c": '  g (ngettext ("a step", "%" G_GUINT64_FORMAT " steps", n), n);\n',
             "app/c.c": '  f (_ ("%" PRId64 " steps"), n);\n  g ("%" G_GINT64_FORMAT, n);\n'}
    return [line.split(":")[0] for line in findings(source.check_messages, files)] == [
        "app/a.c", "ui/b.c"]


def test_sizes():
    long_function = "void\nf (void)\n{\n" + "  g ();\n" * 81 + "}\n"
    files = {"app/a.c": "int x;\n" * 801, "app/b.c": long_function, "app/c.c": "x" * 101 + "\n",
             "app/d.c": "void\nf (void)\n{\n" + "  g ();\n" * 80 + "}\n",
             "app/e.c": "/* clang-format off */\n" + "x" * 101 + "\n"}
    told = [line.split(":")[0] for line in findings(source.check_sizes, files)]
    return told == ["app/a.c", "app/b.c", "app/c.c"]


def test_paths():
    files = {"app/a.c": 'open ("/' + 'work/x");\n', "app/b.c": 'open ("frame/work/x");\n'}
    return [line.split(":")[0] for line in findings(source.check_paths, files)] == ["app/a.c"]


def told(check, files):
    """Where a rule finds something: the words before the first colons."""
    return [line.split(":")[0] for line in findings(check, files)]


def test_macros():
    long_one = "#define F(x)" + " \\\n  g (x);" * 40 + "\n"
    short_one = long_one.replace("  g (x); \\\n", "", 1)
    files = {"kernels/a.h": "int x;\n" + long_one, "app/b.c": short_one}
    return findings(source.check_macros, files) == ["kernels/a.h:2: a macro of 41 lines, over 40"]


def test_threads():
    call = "  pthread_create (&t, NULL, f, NULL);\n"
    files = {"engine/base/thread.c": call, "engine/device/a.c": call, "tests/b.c": call,
             "app/c.c": "/* not pthread_create() */\nint x; // nor pthread_create ()\n"}
    return told(source.check_threads, files) == ["engine/device/a.c"]


def test_cpu_files():
    module = "const SluiceKernelModule m = { .kernels = kernels, .n_kernels = 1 };\n"
    files = {"kernels/math/a.c": module, "kernels/math/a-cpu.c": module, "kernels/io/b.c": module,
             "kernels/nn/c.c": "static const SluiceKernel kernels[] = {\n};\n",
             "kernels/nn/d.c": "const SluiceKernelModule m = { .ops = ops, .n_ops = 1 };\n"}
    return told(source.check_cpu_files, files) == ["kernels/math/a.c", "kernels/nn/c.c"]


def test_type_names():
    struct = "typedef struct\n{\n  int x;\n} Sluice%s;\n"
    forward = "typedef struct _SluiceNode SluiceNode;\n"
    files = {"engine/a.h": struct % "One" + struct % "Two" + forward,
             "ui/b.h": struct % "One", "tests/c.h": struct % "Two",
             "engine/d.c": "struct _SluiceHidden\n{\n};\n", "ui/d.c": struct % "Hidden",
             "ui/d.h": "typedef void (*SluiceFunc) (int x);\n" + forward,
             "app/e.h": "typedef guint SluiceFunc;\n/* } */\nstruct _SluiceNode\n{\n};\n"}
    return told(source.check_type_names, files) == ["SluiceFunc", "SluiceHidden", "SluiceOne"]


def test_op_names():
    files = {"kernels/math/a.c": 'static const SluiceOpDef a = {\n  .name = "MatMul",\n};\n'
                                 'KERNEL ("AddV2", f)\nOP (id, "Pack", x)\n',
             "engine/graph/b.c": 'f ("MatMul");\n/* "Pack" */ f ("a MatMul");\n'
                                 'f ("AddV2", "Pack");\n',
             "ui/c.c": 'f ("MatMul");\n'}
    places = [line.rsplit(":", 1)[0] for line in findings(source.check_op_names, files)]
    kept = {"kernels/a.c": '.name = "Const"', "engine/passes/text.c": 'f ("Const");\n'}
    return (places == ["engine/graph/b.c:1", "engine/graph/b.c:3", "engine/graph/b.c:3"]
            and findings(source.check_op_names, kept) == [])


def test_prefix():
    files = {"app/a.c": "int\nmain (void)\n{\n}\n\nstatic int\nf (void)\n{\n}\n\n"
                        "int\ng (int a,\n   int b)\n{\n}\n\nint h (void);\n\n"
                        "void\nsluice_x (void)\n{\n}\n",
             "engine/a.h": "extern const char *const name;\nextern int sluice_y[];\n"
                           "static int z;\n__attribute__ ((unused)) static int\nf (void)\n{\n}\n",
             "kernels/a.cc": "int count[4] = { 0 };\nstatic const int n = 1;\n"
                             "struct S\n{\n  int field;\n};\n",
             "tests/b.c": "int\ng (void)\n{\n}\n"}
    return findings(source.check_prefix, files) == [
        "app/a.c:12: g() is global and does not begin with sluice_",
        "engine/a.h:1: name is global and does not begin with sluice_",
        "kernels/a.cc:1: count is global and does not begin with sluice_"]


def test_homes():
    def define(name):
        return f"int\n{name} (int a,\n{' ' * len(name)}  int b)\n{{\n  return 0;\n}}\n"
    header = ("int a (int x, int y);\nint *b (int x,\n        int y);\nint c (void);\n"
              "G_DEFINE_AUTOPTR_CLEANUP_FUNC (T, a)\n\nint d (void);\n")
    files = {"engine/x.h": header, "engine/y-private.h": "int e (void);\nint f (void);\n",
             "engine/x.c": define("a"), "engine/x-more.cc": define("b"),
             "engine/y.c": define("c") + define("e"), "ui/x.c": define("d"),
             "engine/z.cc": define("f"), "api/y.h": "int a (int x, int y);\n"}
    return findings(source.check_homes, files) == [
        "engine/y.c:2: c() is declared in engine/x.h",
        "engine/z.cc:2: f() is declared in engine/y-private.h",
        "ui/x.c:2: d() is declared in engine/x.h"]
def test_autos():
    taken = "  g_autoptr (Run) run = item (0);\n  /* it lives */\n  return %s;\n"
    body = "Run *\nf (void)\n{\n%s}\n"
    files = {"app/a.c": body % (taken % "run"),
             "app/b.c": body % (taken % "g_steal_pointer (&run)") + body % "  return run;\n",
             "ui/c.c": body % "  g_autofree char *name = g ();\n  if (x)\n    return name;\n"}
    return findings(source.check_autos, files) == ["app/a.c:6: run is freed where it is returned",
                                                   "ui/c.c:6: name is freed where it is returned"]


def counted(output, result="OK", protocol="tap", registered=("t",), expect_all=True):
    entries = [{"name": "sluice:engine / t", "stdout": output, "result": result}]
    tests = [{"name": name, "protocol": protocol} for name in registered]
    count = counting.count(entries, tests, expect_all)
    return count.passed, len(count.failures), len(count.skips)


def test_counting():
    return [
        counted("1..2\nok 1 /a\nok 2 /b\n") == (2, 0, 0),
        counted("# random seed\n1..2\nok 1 /a\nnot ok 2 /b\n", "FAIL") == (1, 1, 0),
        counted("1..2\nok 1 /a\nok 2 /b # SKIP no such device\n") == (1, 0, 1),
        counted("1..5\nok 1 /a\n", "FAIL") == (1, 4, 0),
        counted("1..1\nok 1 /a\n", "TIMEOUT") == (1, 1, 0),
        counted("", "ERROR") == (0, 1, 0),
        counted("1..0 # SKIP no display\n", "SKIP") == (0, 0, 1),
        counted("1..1\nok 1 /a\nok 2 /b\n") == (2, 1, 0),
        counted("", "OK", "exitcode") == (1, 0, 0),
        counted("", "TIMEOUT", "exitcode") == (0, 1, 0),
        counted("1..1\nok 1 /a\n", registered=("t", "u")) == (1, 1, 0),
        counted("1..1\nok 1 /a\n", registered=("t", "u"), expect_all=False) == (1, 0, 0),
    ].count(False) == 0


TESTS = [test_format, test_arrows, test_no_gtk, test_notices, test_potfiles, test_layer_texts,
         test_messages, test_sizes, test_paths, test_macros, test_threads, test_cpu_files,
         test_type_names, test_op_names, test_prefix, test_homes, test_autos, test_counting]


def main():
    print(f"1..{len(TESTS)}", flush=True)
    results = [test() for test in TESTS]
    for number, (test, passed) in enumerate(zip(TESTS, results), 1):
        print(f"{'ok' if passed else 'not ok'} {number} - {test.__name__}")
    return 0 if all(results) else 1


sys.exit(main())
