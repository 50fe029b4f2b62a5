# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""The model of ../digits-mlp, built, differentiated, trained and read into NumPy."""
import gzip, pathlib, gi, numpy as np
gi.require_version("Sluice", "0")
from gi.repository import Sluice

def digits(part, folder=pathlib.Path(__file__).resolve().parents[1] / "data/digits"):
    images, labels = (gzip.open(folder / f"{part}-{what}-ubyte.gz").read()
                      for what in ("images-idx3", "labels-idx1"))
    return {x: np.frombuffer(images, "u1", offset=16).reshape(-1, 8, 8, 1).astype("f4") / 255,
            y: np.frombuffer(labels, "u1", offset=8).astype("i8")}
def dense(layer, x, n, m):
    noise = layer.Mul(layer.TruncatedNormal([n, m], dtype="float"), (2 / n) ** 0.5)
    w, b = layer.variable(noise, "weights"), layer.variable([0.0] * m, "biases")
    parameters.extend([w, b])
    return layer.BiasAdd(layer.MatMul(x, w.read), b.read)

g, parameters, updates = Sluice.Graph(), [], []
x, y = g.Placeholder(dtype="float", shape=[None, 8, 8, 1]), g.Placeholder(dtype="int64")
hidden = g.Relu(dense(g.scope("hidden"), g.Reshape(x, [-1, 64]), 64, 128))
logits = dense(g.scope("logits"), hidden, 128, 10)
errors = g.Mean(g.SparseSoftmaxCrossEntropyWithLogits(logits, y)[0], [0])
loss = g.AddV2(errors, g.Mul(g.AddN([g.L2Loss(w.read) for w in parameters[::2]]), 0.0003))
accuracy = g.Mean(g.Cast(g.Equal(g.ArgMax(logits, 1), y), DstT="float"), [0])
step, b1, b2 = (g.variable(value) for value in (np.int64(0), 0.9, 0.999))
rate = g.Mul(g.Pow(0.5, g.RealDiv(g.Cast(step.read, DstT="float"), 4000.0)), 0.003)
slots = [[g.variable(np.zeros(p.read.shape, "f4")) for _ in "mv"] for p in parameters]
for p, (m, v), slope in zip(parameters, slots, g.gradients(loss, [p.handle for p in parameters])):
    updates += [g.ResourceApplyAdam(p[0], m[0], v[0], b1[1], b2[1], rate, 0.9, 0.999, 1e-8, slope)]
then = g.after(*updates)
train = [then.AssignAddVariableOp(step.handle, np.int64(1))]
train += [then.AssignVariableOp(b.handle, g.Mul(b.read, k)) for b, k in ((b1, 0.9), (b2, 0.999))]
session, data, random = Sluice.Session(g, seed=1), digits("train"), np.random.default_rng(1)
session.run(targets=[v.init for v in sum(slots, parameters + [step, b1, b2])])
for _ in range(2000):
    rows = random.integers(len(data[y]), size=64)
    session.run(targets=train, feeds={edge: values[rows] for edge, values in data.items()})
print("test accuracy", session.run(accuracy, digits("t10k")))
