# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""What the libraries and the device take by themselves: steps of four models as PyTorch drives
cuBLAS and cuDNN, eager and as a CUDA graph, the sum of their kernels' times, and what launches,
memory, copies and events cost. float32, TF32 off, deterministic algorithms."""
import ctypes
import glob
import os
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn

torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False
torch.backends.cudnn.deterministic = True
torch.backends.cudnn.benchmark = False
D = "cuda"


class Lenet(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1, self.c2 = nn.Conv2d(1, 32, 5, padding=2), nn.Conv2d(32, 64, 5, padding=2)
        self.l1, self.l2 = nn.Linear(3136, 1024), nn.Linear(1024, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.c1(x)), 2)
        x = F.max_pool2d(F.relu(self.c2(x)), 2)
        return self.l2(F.relu(self.l1(torch.flatten(x, 1))))


class Resnet8(nn.Module):
    def __init__(self):
        super().__init__()
        self.plan, cin = [("stem", 3, 1, 3, 16)], 16
        for s, c in enumerate((16, 32, 64)):
            st = 2 if s else 1
            self.plan += [("s%da" % s, 3, st, cin, c), ("s%db" % s, 3, 1, c, c)]
            if st != 1 or cin != c:
                self.plan.append(("s%dp" % s, 1, st, cin, c))
            cin = c
        for name, k, st, ci, co in self.plan:
            self.add_module(name + "c", nn.Conv2d(ci, co, k, st, k // 2, bias=False))
            self.add_module(name + "b", nn.BatchNorm2d(co, eps=1e-3))
        self.names = {q[0] for q in self.plan}
        self.fc = nn.Linear(64, 10)

    def unit(self, name, x):
        return getattr(self, name + "b")(getattr(self, name + "c")(x))

    def forward(self, x):
        h = F.relu(self.unit("stem", x))
        for s in range(3):
            f = self.unit("s%db" % s, F.relu(self.unit("s%da" % s, h)))
            h = F.relu(f + (self.unit("s%dp" % s, h) if "s%dp" % s in self.names else h))
        return self.fc(h.mean((2, 3)))


class Lstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn, self.out = nn.LSTM(128, 128), nn.Linear(128, 10)

    def forward(self, x):
        return self.out(self.rnn(x)[0].reshape(64 * 32, 128))


class Block(nn.Module):
    """A Transformer block: 32 sequences of 64, width 128, 8 heads, 512 inside."""

    def __init__(self, width=128, heads=8):
        super().__init__()
        self.heads = heads
        self.n1, self.n2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.out = nn.Linear(width, 10)

    def forward(self, x):
        b, n, w = x.shape
        qkv = self.qkv(self.n1(x)).reshape(b, n, 3, self.heads, w // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        a = torch.softmax(q @ k.transpose(-1, -2) * (w // self.heads) ** -0.5, -1)
        x = x + self.proj((a @ v).transpose(1, 2).reshape(b, n, w))
        x = x + self.down(F.relu(self.up(self.n2(x))))
        return self.out(x).reshape(-1, 10)


def microseconds(run, n):
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    torch.cuda.synchronize()
    begin.record()
    for _ in range(n):
        run()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end) * 1e3 / n


def best(run, n=100, rounds=5):
    for _ in range(5):
        run()
    return min(microseconds(run, n) for _ in range(rounds))


def kernel_time(run):
    """(microseconds of kernels, kernels) of a step, as CUPTI has them."""
    from torch.profiler import ProfilerActivity, profile
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as p:
        for _ in range(10):
            run()
        torch.cuda.synchronize()
    events = [e for e in p.key_averages() if getattr(e, "self_device_time_total", 0) > 0]
    return sum(e.self_device_time_total for e in events) / 10, sum(e.count for e in events) / 10


def model(name, net, x, n_labels, lr, momentum):
    torch.manual_seed(0)
    net = net.to(D)
    labels = torch.randint(0, 10, (n_labels,), device=D)
    if x.dim() == 4:
        net = net.to(memory_format=torch.channels_last)
        x = x.to(memory_format=torch.channels_last)
    opt = torch.optim.SGD(net.parameters(), lr, momentum, fused=True)

    def step():
        opt.zero_grad(set_to_none=False)
        F.cross_entropy(net(x), labels).backward()
        opt.step()
    eager = best(step, 50)
    try:
        busy, n_kernels = kernel_time(step)
    except Exception as error:
        print("no profile:", repr(error)[:200])
        busy, n_kernels = float("nan"), float("nan")
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        step()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    print("%-12s eager %8.1f us  graph %8.1f us  kernels %8.1f us in %5.1f" % (
        name, eager, best(graph.replay, 100), busy, n_kernels), flush=True)


def models():
    for name, net, x, n_labels, lr, momentum in (
            ("lenet", Lenet, (64, 1, 28, 28), 64, 0.01, 0.9),
            ("resnet8", Resnet8, (32, 3, 32, 32), 32, 0.01, 0.9),
            ("lstm", Lstm, (64, 32, 128), 64 * 32, 0.1, 0),
            ("transformer", Block, (32, 64, 128), 32 * 64, 0.1, 0)):
        try:
            model(name, net(), torch.randn(*x, device=D), n_labels, lr, momentum)
        except Exception as error:
            print(name, "failed:", repr(error)[:300])


def gemms():
    for m, n, k in ((64, 1024, 3136), (128, 256, 784), (1024, 1024, 1024), (4096, 4096, 4096)):
        a, b = torch.randn(m, k, device=D), torch.randn(k, n, device=D)
        c = torch.empty(m, n, device=D)
        t = best(lambda: torch.mm(a, b, out=c), 20)
        print("sgemm %dx%dx%d %.1f us, %.1f TFLOP/s" % (m, n, k, t, 2e-6 * m * n * k / t))


def convs():
    shapes = (64, 28, 1, 32, 5), (64, 14, 32, 64, 5), (32, 32, 16, 16, 3), (32, 8, 64, 64, 3)
    for n, h, ci, co, k in shapes:
        x = torch.randn(n, ci, h, h, device=D).to(memory_format=torch.channels_last)
        w = torch.randn(co, ci, k, k, device=D)
        pad = k // 2
        y = F.conv2d(x, w, padding=pad)
        g = torch.randn_like(y)
        forward = best(lambda: F.conv2d(x, w, padding=pad), 50)
        both = best(lambda: torch.ops.aten.convolution_backward(
            g, x, w, None, [1, 1], [pad] * 2, [1, 1], False, [0, 0], 1, [True, True, False]), 50)
        print("conv %dx%dx%d %d->%d k%d forward %.1f us, gradients %.1f us" % (
            n, h, h, ci, co, k, forward, both))


def launches():
    x = torch.zeros(1, device=D)
    empty = lambda: x.add_(0)
    many = torch.cuda.CUDAGraph()
    empty()
    torch.cuda.synchronize()
    with torch.cuda.graph(many):
        for _ in range(100):
            empty()
    print("tiny kernel, stream of 1000: %.2f us each; CUDA graph of 100: %.2f us each" % (
        best(empty, 1000), best(many.replay, 50) / 100))

    def one():
        empty()
        torch.cuda.synchronize()
    for _ in range(20):
        one()
    begin = time.perf_counter()
    for _ in range(500):
        one()
    print("tiny kernel and wait: %.2f us" % ((time.perf_counter() - begin) * 2e3))
    event = torch.cuda.Event()
    begin = time.perf_counter()
    for _ in range(2000):
        event.record()
    torch.cuda.synchronize()
    print("event record: %.2f us" % ((time.perf_counter() - begin) * 5e2))
    begin = time.perf_counter()
    for _ in range(500):
        event.record()
        event.synchronize()
    print("event record and wait: %.2f us" % ((time.perf_counter() - begin) * 2e3))


def copies():
    for size in (4 << 10, 1 << 20, 256 << 20):
        host = torch.empty(size, dtype=torch.uint8).pin_memory()
        device = torch.empty(size, dtype=torch.uint8, device=D)
        n = 200 if size <= 1 << 20 else 5
        to = best(lambda: device.copy_(host, non_blocking=True), n, 3)
        back = best(lambda: host.copy_(device, non_blocking=True), n, 3)
        print("pinned copy of %d bytes: to device %.1f us (%.1f GB/s), back %.1f us (%.1f GB/s)" % (
            size, to, size / to / 1e3, back, size / back / 1e3))


def allocations():
    found = glob.glob("/usr/local/cuda*/lib64/libcudart.so*")
    for folder in sys.path:
        found += glob.glob(os.path.join(folder, "nvidia/*/lib/libcudart.so*"))
    cudart = ctypes.CDLL(sorted(found)[-1])
    p = ctypes.c_void_p()

    def loop(n, make, drop):
        make(), drop()
        cudart.cudaDeviceSynchronize()
        begin = time.perf_counter()
        for _ in range(n):
            make(), drop()
        cudart.cudaDeviceSynchronize()
        return (time.perf_counter() - begin) * 1e6 / n
    size = ctypes.c_size_t(1 << 20)
    pool, all_bytes = ctypes.c_void_p(), ctypes.c_uint64(2 ** 64 - 1)
    cudart.cudaDeviceGetDefaultMemPool(ctypes.byref(pool), 0)
    cudart.cudaMemPoolSetAttribute(pool, 4, ctypes.byref(all_bytes))
    nothing, reference = (lambda: None), ctypes.byref(p)
    attributes = ctypes.create_string_buffer(64)
    print("1 MiB, with ctypes, whose call alone takes %.2f us:" % loop(
        2000, lambda: cudart.cudaDeviceGetDefaultMemPool(ctypes.byref(pool), 0), nothing))
    print("  cudaMallocAsync and FreeAsync %.2f us" % loop(
        2000, lambda: cudart.cudaMallocAsync(reference, size, None),
        lambda: cudart.cudaFreeAsync(p, None)))
    print("  cudaMalloc and Free %.1f us" % loop(
        100, lambda: cudart.cudaMalloc(reference, size), lambda: cudart.cudaFree(p)))
    print("  cudaHostAlloc and FreeHost %.1f us" % loop(
        50, lambda: cudart.cudaHostAlloc(reference, size, 3), lambda: cudart.cudaFreeHost(p)))
    cudart.cudaHostAlloc(reference, size, 3)
    print("  cudaPointerGetAttributes %.2f us" % loop(
        2000, lambda: cudart.cudaPointerGetAttributes(attributes, p), nothing))


if __name__ == "__main__":
    print(torch.__version__, torch.version.cuda, "cuDNN", torch.backends.cudnn.version(),
          torch.cuda.get_device_name())
    for part in (models, gemms, convs, launches, copies, allocations):
        try:
            part()
        except Exception as error:
            print(part.__name__, "failed:", repr(error)[:300])
        sys.stdout.flush()
