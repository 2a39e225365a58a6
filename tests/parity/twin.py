#!/usr/bin/env python3
"""A PyTorch twin of aup's training step, written from the paper's equations and the published sizes.

  twin.py parity FOLDER              one step from the state in FOLDER (written by parity_test.cpp)
  twin.py time PRESET STEPS [A B]    milliseconds of processor time of each of STEPS steps of 56 pairs,
                                     then of encoding 2048 users of each side; one thread
"""
import json
import os
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F

torch.set_num_threads(1)


def encode(p, x, side, o):
    h = x.unsqueeze(1)
    for layer in (1, 2):
        h = F.conv1d(h, p[f"encoder.convolution{layer}.weight"], p[f"encoder.convolution{layer}.bias"])
        if o["batch_norm"]:
            h = F.batch_norm(h, None, None, p[f"encoder.norm{layer}.scale"], p[f"encoder.norm{layer}.shift"], True)
        if o["activation"] == "every" or layer == 2:
            h = torch.sigmoid(h)
    return F.linear(h.flatten(1), p[f"encoder.dense_{side}.weight"], p[f"encoder.dense_{side}.bias"])


def decode(p, v, side, o):
    h = F.linear(v, p[f"decoder.dense_{side}.weight"].t(), p[f"decoder.dense_{side}.bias"])
    h = h.view(len(v), o["widest"], -1)
    for layer in (1, 2):
        h = F.conv_transpose1d(h, p[f"decoder.convolution{layer}.weight"], p[f"decoder.convolution{layer}.bias"])
        if o["batch_norm"]:
            h = F.batch_norm(h, None, None, p[f"decoder.norm{layer}.scale"], p[f"decoder.norm{layer}.shift"], True)
        if o["activation"] == "every" or layer == 2:
            h = torch.sigmoid(h)
    return h.squeeze(1)


def loss_of(p, a, b, y, o):
    va, vb = encode(p, a, "a", o), encode(p, b, "b", o)
    ra, rb = decode(p, va, "a", o), decode(p, vb, "b", o)
    similarity = F.cosine_similarity(va, vb)
    hinge = F.relu(similarity - o["negative_margin"])
    if o["preset"] == "paper":
        single = ((ra - a) ** 2).sum(1).mean() + ((rb - b) ** 2).sum(1).mean()
        cross = (1 - similarity[y]).mean() + hinge[~y].mean()
        logits = F.linear(torch.cat((va, vb), 1), p["head.weight"], p["head.bias"])
        classification = F.cross_entropy(logits, y.long())
        length = ((va**2).sum(1) + (vb**2).sum(1)).mean()
        return single + 0.01 * cross + 0.01 * classification + 1e-5 * length
    single = F.mse_loss(ra, a) + F.mse_loss(rb, b)
    cross = torch.where(y, 1 - similarity, hinge).mean()
    return 100 * single + cross + 0.001 * (va.norm() + vb.norm())


def optimiser_of(parameters, preset):
    if preset == "paper":
        return torch.optim.Adam(parameters, lr=0.001)
    return torch.optim.Adadelta(parameters, lr=3.0, weight_decay=0.001)


def parity(folder):
    with open(os.path.join(folder, "job.json")) as file:
        job = json.load(file)
    read = lambda name: torch.from_numpy(np.fromfile(os.path.join(folder, name + ".f32"), dtype=np.float32))
    p = {name: read(name).view(shape).requires_grad_() for name, shape in job["tensors"].items()}
    a = read("inputs_a").view(-1, job["length_a"])[job["rows_a"]]
    b = read("inputs_b").view(-1, job["length_b"])[job["rows_b"]]
    optimiser = optimiser_of(p.values(), job["preset"])
    loss = loss_of(p, a, b, torch.tensor(job["is_anchor"]), job)
    loss.backward()
    optimiser.step()
    for name, tensor in p.items():
        gradient = torch.zeros_like(tensor) if tensor.grad is None else tensor.grad
        gradient.numpy().tofile(os.path.join(folder, name + ".gradient.f32"))
        tensor.detach().numpy().tofile(os.path.join(folder, name + ".after.f32"))
    with open(os.path.join(folder, "loss.json"), "w") as file:
        json.dump({"loss": loss.item()}, file)


def time_steps(preset, steps, users_a, users_b):
    torch.manual_seed(1)
    official = preset == "official"
    o = {"preset": preset, "batch_norm": official, "activation": "last" if official else "every",
         "widest": 8, "negative_margin": 0.0}
    p = {}
    for stack, (first, second) in (("encoder", ((4, 1), (8, 4))), ("decoder", ((8, 4), (4, 1)))):
        for layer, shape in ((1, first), (2, second)):
            out = shape[0] if stack == "encoder" else shape[1]
            p[f"{stack}.convolution{layer}.weight"] = 0.3 * torch.randn(*shape, 3)
            p[f"{stack}.convolution{layer}.bias"] = torch.zeros(out)
            if official:
                p[f"{stack}.norm{layer}.scale"] = torch.randn(out)
                p[f"{stack}.norm{layer}.shift"] = torch.zeros(out)
    for side, users in (("a", users_a), ("b", users_b)):
        features = 8 * (users - 4)
        p[f"encoder.dense_{side}.weight"] = 0.007 * torch.randn(56, features)
        p[f"encoder.dense_{side}.bias"] = torch.ones(56)
        p[f"decoder.dense_{side}.weight"] = 0.007 * torch.randn(56, features)
        p[f"decoder.dense_{side}.bias"] = torch.ones(features)
    p["head.weight"], p["head.bias"] = 0.1 * torch.randn(2, 112), torch.zeros(2)
    for tensor in p.values():
        tensor.requires_grad_()
    contexts = torch.rand(256, users_a) * 0.01, torch.rand(256, users_b) * 0.01
    y = torch.tensor([i % 3 == 0 for i in range(56)])
    optimiser = optimiser_of(p.values(), preset)
    for step in range(steps + 1):  # the first one warms up
        rows = torch.randint(256, (56,))
        started = time.process_time()
        a, b = contexts[0][rows], contexts[1][rows]
        optimiser.zero_grad()
        loss_of(p, a, b, y, o).backward()
        optimiser.step()
        if step:
            print("%.2f" % (1000 * (time.process_time() - started)), flush=True)
    started = time.process_time()
    with torch.no_grad():
        for side, rows in zip("ab", contexts):
            for _ in range(8):
                encode(p, rows, side, o)
    print("%.2f" % (1000 * (time.process_time() - started)), flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "parity":
        parity(sys.argv[2])
    else:
        torch.set_flush_denormal("flush" in sys.argv)
        sizes = [int(x) for x in sys.argv[4:6] if x != "flush"] or [5313, 5120]
        time_steps(sys.argv[2], int(sys.argv[3]), *sizes)
