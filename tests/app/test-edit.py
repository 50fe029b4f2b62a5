#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""`sluice edit`: scripts by lot against a simple model, what fails, and gradients, as TAP.

usage: test-edit.py SLUICE

SLUICE_EDIT_SCRIPTS says how many scripts are drawn, SLUICE_EDIT_SEED from where.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from edit_model import Generator, graph_state
from tap import Tap

N_LINES = 60


class Edit:
    def __init__(self, sluice, folder):
        self.sluice, self.folder = sluice, pathlib.Path(folder)

    def run(self, script, *options, graph=None, out="out.pbtxt"):
        start = [str(self.folder / graph)] if graph else ["--new"]
        path = self.folder / out
        path.unlink(missing_ok=True)
        done = subprocess.run([self.sluice, "edit", *start, "--out", path, *options], input=script,
                              capture_output=True, text=True, check=False)
        return done, path.read_text() if path.exists() else None


def check_script(tap, edit, seed):
    generator = Generator(seed)
    lines = generator.script(N_LINES)
    script = "".join(line + "\n" for line, _ in lines)
    done, text = edit.run(script, "--keep-going", "--json")
    said = [json.loads(line) for line in done.stdout.splitlines()]
    others = [f"{line}: the model {'took' if ok else 'refused'} it; {one['error']}"
              for (line, ok), one in zip(lines, said) if one["done"] != ok]
    silent = [one["error"] for number, one in enumerate(said, 1)
              if not one["done"] and not one["error"].startswith(f"line {number}: ")]
    wanted = generator.model.state()
    found = graph_state(text or "")
    taken = "".join(line + "\n" for line, ok in lines if ok)
    undone = f"undo {len(generator.model.done)}\n" if generator.model.done else ""
    ok = (not others and not silent and found == wanted
          and done.returncode == (0 if all(ok for _, ok in lines) else 1)
          # What failed has changed nothing, and all can be taken back.
          and edit.run(taken)[1] == text and edit.run(taken + undone)[1] == edit.run("")[1])
    if not ok:
        (edit.folder / f"failed-{seed}").write_text(script)
        tap.point(f"script {seed} does what the model does", False, *others[:5], *silent[:5],
                  *[f"{a}\n{b}" for a, b in zip(wanted, found) if a != b][:3])
    return ok


def check_scripts(tap, edit):
    count = int(os.environ.get("SLUICE_EDIT_SCRIPTS", "20"))
    first = int(os.environ.get("SLUICE_EDIT_SEED", "1"))
    good = sum(check_script(tap, edit, seed) for seed in range(first, first + count))
    tap.point(f"{count} scripts of {N_LINES} commands by lot do what a simple model does",
              good == count)


# Commands that fail, behind a small graph, and words of what is said.
SMALL = """add Placeholder x dtype=DT_FLOAT shape=[?,4]
add Const w value=[[1.0],[2.0],[3.0],[4.0]]
add MatMul y x w
add Const n value=3
"""
WRONG = (
    ("conect x y:0", ("conect", "did you mean connect?")),
    ("add MatMull z x w", ("MatMull", "did you mean MatMul?")),
    ("add MatMul y x w", ("'y' already",)),
    ("add MatMul z x ww", ("'ww'", "did you mean")),
    ("add MatMul z w w", ("MatMul 'z'", "[4,1]")),
    ("connect n y:1", ("MatMul 'y'", "input 1 (b)", "'n:0'", "int32", "float", "Cast")),
    ("connect n y:2", ("MatMul 'y'", "0 (a), 1 (b)")),
    ("connect y:0 y:0", ("MatMul 'y'", "cycle")),
    ("set y transpose_c=true", ("transpose_c", "did you mean transpose_a?")),
    ("set y transpose_a=maybe", ("transpose_a of MatMul", "neither true nor false")),
    ("set y T=DT_FLAOT", ("DT_FLAOT", "DT_FLOAT?")),
    ("set x shape=[?,-4]", ("shape of Placeholder", "[?,784]")),
    ("device y /gpuu:x", ("/gpuu:x", "no device")),
    ("delete v", ("neither a node nor a scope 'v'",)),
    ("rename x y", ("Placeholder 'x'", "'y'", "another name")),
    ("undo 9", ("9 commands", "only 4")),
    ("add Placeholder \"q", ("character", "not closed")),
    ("train y optimizer=adam learning-rate=0.1", ("'y'", "[?,1]", "Mean")),
    ("train y optimizer=adm learning-rate=0.1", ("adm", "did you mean adam?")),
    ("train y learning-rate=0.1", ("optimizer= is missing",)),
    ("summary scaler y", ("scaler", "did you mean scalar?")),
    ("check now", ("too many", "write check")),
)


def check_failures(tap, edit):
    edit.run(SMALL, out="small.pbtxt")
    whole = (edit.folder / "small.pbtxt").read_text()
    for line, words in WRONG:
        done, text = edit.run(SMALL + line + "\n")
        said = done.stderr
        kept = edit.run(SMALL + line + "\n", "--keep-going")[1]
        tap.point(f"'{line}' fails, says why and changes nothing",
                  done.returncode == 1 and text is None and kept == whole and "line 5: " in said
                  and all(word in said for word in words), said)


def check_comments(tap, edit):
    text = edit.run(SMALL)[1].replace('node {\n  name: "y"', '# product\nnode {\n  name: "y"')
    (edit.folder / "said.pbtxt").write_text("# a model\n" + text)
    done, kept = edit.run("rename y z\nset w _note=1\n", graph="said.pbtxt")
    tap.point("comments of a text stay with their nodes", done.returncode == 0
              and '# product\nnode {\n  name: "z"' in kept and kept.startswith("# a model\n"), kept)


def check_command_line(tap, edit):
    done = subprocess.run([edit.sluice, "edit", "--commands"], capture_output=True, text=True,
                          check=False)
    tap.point("--commands lists them",
              done.returncode == 0 and "connect EDGE NODE:K" in done.stdout)
    for arguments in (["--new"], ["--out", "x.pb"], ["a", "b", "--out", "x.pb"]):
        done = subprocess.run([edit.sluice, "edit", *arguments], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, check=False)
        tap.point(f"edit {' '.join(arguments)}: a wrong command line", done.returncode == 2,
                  done.stderr)


# Two dense layers on two examples, and what TensorFlow 2.21 makes of them: loss and gradients.
SMALL_MODEL = """add Placeholder x dtype=DT_FLOAT shape=[?,3]
add Placeholder y dtype=DT_INT64 shape=[?]
layer dense a input=x units=4 activation=tanh
layer dense b input=a/output units=2
layer softmax-cross-entropy loss input=b/output labels=y
train loss/output optimizer=OPTIMIZER learning-rate=0.1
check
"""
FED = {"x": [[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]], "y": [1, 0],
       "a/MatMul/ReadVariableOp": [[0.1, -0.2, 0.3, 0.4], [0.5, 0.6, -0.7, 0.8],
                                   [-0.9, 1.0, 0.15, -0.25]],
       "a/BiasAdd/ReadVariableOp": [0.1, 0.2, -0.1, 0.0],
       "b/MatMul/ReadVariableOp": [[0.3, -0.4], [0.5, 0.6], [-0.7, 0.8], [0.9, -1.0]],
       "b/BiasAdd/ReadVariableOp": [0.05, -0.05]}
LOSS = 0.0774717852473259
GRADIENTS = {
    "a/kernel": [-0.02294909, 0.00527369, 0.12282372, -0.06380244, -0.00449377, 0.00120581,
                 0.03101904, -0.02297857, 0.01286385, -0.00331571, -0.08332011, 0.05754048],
    "a/bias": [-0.01488775, 0.00331465, 0.07539114, -0.03493814],
    "b/kernel": [-0.06079241, 0.06079238, 0.04954632, -0.04954629, 0.00949737, -0.00949735,
                 -0.0564549, 0.05645487],
    "b/bias": [-0.04027734, 0.04027734]}
APPLY = {"sgd": "GradientDescent", "momentum": "Momentum", "adam": "Adam", "rmsprop": "RMSProp",
         "adagrad": "Adagrad"}


def flat(values):
    return [x for row in values for x in flat(row)] if isinstance(values, list) else [values]


def fetch(edit, graph, edges):
    feeds = [f"--feed={edge}={json.dumps(value)}" for edge, value in FED.items()]
    done = subprocess.run([edit.sluice, "run", edit.folder / graph, "--json", *feeds,
                           *(f"--fetch={edge}" for edge in edges)], capture_output=True, text=True,
                          check=False)
    values = json.loads(done.stdout) if done.returncode == 0 else {}
    return {edge: flat(value) for edge, value in values.items()}, done.stderr


def check_gradients(tap, edit):
    for optimizer, op in APPLY.items():
        done, text = edit.run(SMALL_MODEL.replace("OPTIMIZER", optimizer), out="small.pbtxt")
        inputs = {node[0]: node[4] for node in graph_state(text or "")}
        edges = {}
        for name in GRADIENTS:
            update = inputs.get(f"train/update_{name}/ResourceApply{op}", ("",))
            edges[name] = next((edge for edge in update if edge.startswith("gradients/")), "none")
        found, said = fetch(edit, "small.pbtxt", ["loss/output", *edges.values()])
        near = abs(found.get("loss/output", [9])[0] - LOSS) < 1e-6
        for name, wanted in GRADIENTS.items():
            values = found.get(edges[name], [])
            near = near and len(values) == len(wanted)
            near = near and all(abs(a - b) < 1e-6 for a, b in zip(values, wanted))
        tap.point(f"{optimizer}: loss and gradients are TensorFlow's", near, done.stderr, said,
                  edges, found)


def check_layers(tap, edit):
    listed = subprocess.run([edit.sluice, "edit", "--layers", "--json"], capture_output=True,
                            text=True, check=False).stdout.splitlines()
    layers = {(one["family"], one["layer"]) for one in map(json.loads, listed)}
    tap.point("--layers lists them by family",
              {("input", "input"), ("layer", "dense"), ("layer", "lstm"), ("loss", "l2"),
               ("metric", "top-k"), ("optimizer", "adam"), ("schedule", "cosine"),
               ("clipping", "clip-by-norm"), ("summary", "scalar")} <= layers, layers)
    tap.point("but no part", "part" not in {family for family, _ in layers}, layers)


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        edit = Edit(sys.argv[1], folder)
        check_command_line(tap, edit)
        check_failures(tap, edit)
        check_comments(tap, edit)
        check_layers(tap, edit)
        check_gradients(tap, edit)
        check_scripts(tap, edit)
    tap.end()


main()
