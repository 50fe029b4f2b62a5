#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""test-run-cases.py RUN-CASES: what the runner says of case files that it cannot run, as TAP."""
import pathlib
import subprocess
import sys
import tempfile


def attr(name, value):
    return f'attr {{ key: "{name}" value {{ {value} }} }}'


def const(name, n_dims, *attrs):
    dims = "dim { size: 1 } " * n_dims
    value = attr("value", f"tensor {{ dtype: DT_FLOAT tensor_shape {{ {dims} }} float_val: 2 }}")
    attrs = " ".join([attr("dtype", "type: DT_FLOAT"), value, *attrs])
    return f'node {{ name: "{name}" op: "Const" {attrs} }}'


def case(fed, expected):
    """Neg of a value of so many dimensions, negated again."""
    step = attr("_step", "i: 0")
    return "\n".join([
        f'node {{ name: "x" op: "Placeholder" {attr("dtype", "type: DT_FLOAT")} }}',
        f'node {{ name: "y" op: "Neg" input: "x" {attr("T", "type: DT_FLOAT")} }}',
        f'node {{ name: "z" op: "Neg" input: "y" {attr("T", "type: DT_FLOAT")} }}',
        f'node {{ name: "c/run/0" op: "NoOp" {step} }}',
        const("c/feed/0", fed, step, attr("_feed", 's: "x:0"')),
        const("c/expect/0", expected, step, attr("_fetch", 's: "z:0"'))])


def run(text, *options):
    with tempfile.TemporaryDirectory() as top:
        path = pathlib.Path(top) / "case.pbtxt"
        path.write_text(text)
        done = subprocess.run([sys.argv[1], "--no-shapes", *options, str(path)],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              check=False)
        return done.returncode, done.stdout


def test_most_dimensions():
    return run(case(8, 8)) == (0, "1 passed, 0 failed\n")


def test_too_many_dimensions():
    """What cannot be fed or compared is a failure that says why, of this step only."""
    for fed, expected, name in ((9, 8, "c/feed/0"), (8, 9, "c/expect/0"), (254, 254, "c/feed/0")):
        status, said = run(case(fed, expected))
        if (status != 1 or f"'{name}'" not in said or "8 are the most" not in said
                or not said.endswith("\n0 passed, 1 failed\n")):
            print("#", status, said)
            return False
    return True


EQUAL = "1 values with equal bits, 0 with others\n"


def test_device():
    """Where all of it stands changes nothing; a device that is not here only with the option."""
    far = case(2, 2).replace('op: "Neg" input: "x"', 'op: "Neg" input: "x" device: "/gpu:0"')
    passed, said = (0, "1 passed, 0 failed\n"), run(far)
    return (run(case(2, 2), "--device", "CPU:2") == passed
            and run(case(2, 2), "--device", "TPU:0", "--soft-placement") == passed
            and run(case(2, 2), "--device", "TPU:0")[0] == 2
            and run(case(2, 2), "--device", "SIM:3", "--same-bits") == (0, passed[1] + EQUAL)
            and run(case(2, 2), "--device", "CPU")[0] == 2
            and said[0] == 1 and "/gpu:0" in said[1] and run(far, "--soft-placement") == passed)


TESTS = [test_most_dimensions, test_too_many_dimensions, test_device]
print(f"1..{len(TESTS)}")
failed = 0
for number, test in enumerate(TESTS, 1):
    good = test()
    failed += not good
    print(f"{'ok' if good else 'not ok'} {number} {test.__name__}")
sys.exit(failed > 0)
