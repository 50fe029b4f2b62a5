# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""Four runs of ../digits-mlp with other settings, trained and compared: sweep.py WORKSPACE"""
import pathlib, sys, gi, numpy as np
gi.require_version("Sluice", "0")
from gi.repository import Sluice

project = pathlib.Path(__file__).resolve().parents[1] / "digits-mlp"
workspace = Sluice.Workspace(sys.argv[1])
names = workspace.sweep(project, {"learning-rate": [0.01, 0.001], "batch": [32, 64]}, steps=200)
failed = workspace.train()

table = workspace.table("state:finished")  # pandas.DataFrame(table) takes it as it is
for i in np.argsort(-table["evaluate/accuracy"]):
    print(f"{table['run'][i]:12} rate {table['learning-rate'][i]:<6g} batch {table['batch'][i]:<4g}"
          f" loss {table['loss'][i]:.4f} accuracy {table['evaluate/accuracy'][i]:.4f}")
best = table["run"][np.argmax(table["evaluate/accuracy"])]
steps, walls, losses = workspace.points(best, "loss")
print(f"{best}: mean loss {losses[:20].mean():.3f} at first, {losses[-20:].mean():.3f} at last")
for difference in workspace.diff(names[0], names[-1])["differs"]:
    print(difference["name"], *difference["values"])
