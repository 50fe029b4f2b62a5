#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""What Sluice exports against what it had imported, both as TensorBoard's EventAccumulator reads
them: tags by kind, steps, wall times, values, metadata, graph, RunMetadata.

usage: check-logs.py SLUICE FOLDER...      folders that hold event files; with TensorBoard
"""
import hashlib
import pathlib
import subprocess
import sys
import tempfile

from tensorboard.backend.event_processing import event_accumulator as ea
from tensorboard.util import tensor_util

ALL = {kind: 0 for kind in (ea.SCALARS, ea.IMAGES, ea.AUDIO, ea.HISTOGRAMS, ea.TENSORS)}


def sha(content):
    return hashlib.sha256(content).hexdigest()[:16]


def number(value):
    return repr(float(value))


def histogram(value):
    return (*map(number, (value.min, value.max, value.num, value.sum, value.sum_squares)),
            [number(x) for x in value.bucket_limit], [number(x) for x in value.bucket])


def tensor(proto):
    array = tensor_util.make_ndarray(proto)
    if array.ndim == 0 and array.dtype.kind == "f": # as wide as it has to be
        return number(array)
    content = b"\0".join(array.ravel()) if array.dtype.kind in "OS" else array.tobytes()
    return str(array.dtype), array.shape, sha(content)


def read(folder):
    """{(kind, tag): everything} of what TensorBoard knows of a run."""
    log = ea.EventAccumulator(str(folder), size_guidance=ALL)
    log.Reload()
    readers = {"scalars": (log.Scalars, lambda e: number(e.value)),
               "histograms": (log.Histograms, lambda e: histogram(e.histogram_value)),
               "images": (log.Images, lambda e: (e.width, e.height, sha(e.encoded_image_string))),
               "audio": (log.Audio, lambda e: (e.content_type, e.sample_rate, e.length_frames,
                                               sha(e.encoded_audio_string))),
               "tensors": (log.Tensors, lambda e: tensor(e.tensor_proto))}
    found = {}
    for kind, (events, value) in readers.items():
        for tag in log.Tags()[kind]:
            values = [(e.step, e.wall_time, value(e)) for e in events(tag)]
            if values: # else all of it was purged
                found[kind, tag] = values
    for tag, metadata in log.summary_metadata.items():
        if ("tensors", tag) in found: # what Sluice adds to plain scalars says what they are
            found["metadata", tag] = metadata.SerializeToString(deterministic=True)
    if log.Tags()["graph"]:
        found["graph", ""] = sha(log.Graph().SerializeToString(deterministic=True))
    for tag in log.Tags()["run_metadata"]:
        found["run metadata", tag] = sha(log.RunMetadata(tag).SerializeToString(deterministic=True))
    return found


def check(sluice, folder, temporary):
    workspace, out = temporary / "workspace", temporary / "out"
    subprocess.run([sluice, "import", "--workspace", workspace, folder], check=True,
                   capture_output=True)
    subprocess.run([sluice, "export", "--workspace", workspace, "--run", folder.name, "--out", out,
                    "--format", "tfevents"], check=True, capture_output=True)
    want, got = read(folder), read(out)
    wrong = [f"{key} is {'another' if key in want and key in got else 'in one of them only'}"
             for key in sorted(set(want) | set(got)) if want.get(key) != got.get(key)]
    values = sum(len(value) for key, value in want.items() if isinstance(value, list))
    print(f"{'not ' if wrong else ''}the same: {folder}: {len(want)} parts, {values} values", *wrong,
          sep="\n    ")
    return not wrong


def main(sluice, *folders):
    good = True
    for name in folders:
        for folder in sorted({path.parent for path in pathlib.Path(name).rglob("*tfevents*")}):
            with tempfile.TemporaryDirectory() as temporary:
                good = check(sluice, folder, pathlib.Path(temporary)) and good
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main(*sys.argv[1:])
