#!/usr/bin/env python3
"""Do edge weights help the propagation? A small dense prototype of it on generated pairs whose weights agree.

    bench/edge_weights.py PROGRAM [NOISE] [SEEDS]

PROGRAM is build/dalaup. An edge that both networks have gets one hidden strength (log-normal); each network sees it
times exp(NOISE * normal). 80 of 800 anchors are labelled. Prints precision@30 and hits@1 with the spread over seeds
for each way of using weights, in the contexts and in the evidence of matched neighbours (docs/measured/propagation.md).
"""
import os
import subprocess
import sys
import tempfile

import numpy as np
import scipy.sparse as sp

SCALES = {
    "none": np.ones_like,
    "root": lambda w: np.sqrt(w / w.mean()),
    "log": lambda w: np.log1p(w / np.median(w)),
    "weight": lambda w: w / w.mean(),
}
WAYS = [("none", "none"), ("weight", "none"), ("log", "none"), ("none", "root"), ("none", "log"), ("log", "log"),
        ("weight", "weight"), ("none", "classes")]
CLASSES = 4


def read_pair(folder):
    names = ({}, {})

    def rows(file):
        return [line.split()[:2] for line in open(os.path.join(folder, file)) if not line.startswith("#")]

    edges = [sorted({tuple(sorted(names[side].setdefault(name, len(names[side])) for name in row))
                     for row in rows(file)}) for side, file in enumerate(("a.edges", "b.edges"))]
    truth = [(names[0][a], names[1][b]) for a, b in rows("truth.tsv")]
    return [len(one) for one in names], edges, truth


def adjacency(edges, values, users):
    ends = np.array(edges).reshape(-1, 2)
    half = sp.coo_matrix((values, (ends[:, 0], ends[:, 1])), (users, users)).tocsr()
    return half + half.T


def contexts(edges, values, users, anchors):
    graph = adjacency(edges, values, users)
    sums = np.asarray(graph.sum(1)).ravel()
    step = sp.diags(1 / np.where(sums == 0, 1, sums)) @ graph
    home = np.zeros((users, len(anchors)))
    home[anchors, range(len(anchors))] = 1
    place, total = home, 0
    for _ in range(3):
        place = 0.4 * (step @ place) + 0.6 * home
        total = total + place
    return np.log1p(total / 0.001)


def agreement(edges, classes, labels):
    """How often edges of two classes are one edge between labelled users, over what chance gives."""
    partner = dict(labels)
    place = {edge: i for i, edge in enumerate(edges[1])}
    counts = np.ones((CLASSES, CLASSES))
    for i, (x, y) in enumerate(edges[0]):
        found = place.get(tuple(sorted((partner.get(x, -1), partner.get(y, -1)))))
        if found is not None:
            counts[classes[0][i], classes[1][found]] += 1
    return counts / counts.mean()


def ranks(users, edges, weights, truth, labels, in_context, in_evidence):
    known = [np.array([pair[side] for pair in labels]) for side in (0, 1)]
    rows = [contexts(edges[s], SCALES[in_context](weights[s]), users[s], known[s]) for s in (0, 1)]
    scale = 1 / np.sqrt(1e-6 + np.sqrt((rows[0] ** 2).mean(0) * (rows[1] ** 2).mean(0)))
    rows = [row * scale / (np.linalg.norm(row * scale, axis=1, keepdims=True) + 1e-9) for row in rows]
    prior = rows[0] @ rows[1].T
    classes = [np.argsort(np.argsort(w)) * CLASSES // len(w) for w in weights]
    by_class = agreement(edges, classes, labels) if in_evidence == "classes" else None
    values = [SCALES.get(in_evidence, np.ones_like)(w) for w in weights]
    graphs = [adjacency(edges[s], values[s], users[s]) for s in (0, 1)]
    rarity = [1 / np.sqrt(np.log(2 + np.diff(graph.indptr))) for graph in graphs]

    def close(scores):
        scores[known[0], :] = -9
        scores[:, known[1]] = -9
        return scores

    def part(side, chosen):
        keep = classes[side] == chosen
        return adjacency(np.array(edges[side])[keep], values[side][keep], users[side]) @ sp.diags(rarity[side])

    prior = close(prior)
    scores = prior.copy()
    for _ in range(12):
        kernel = np.exp(np.clip((scores - scores.max(1, keepdims=True)) / 0.02, -60, 0))
        kernel[known[0], :] = 0
        kernel[:, known[1]] = 0
        column = np.ones(users[1])
        for _ in range(8):
            row = 1 / np.maximum(kernel @ column, 1e-9)
            column = np.minimum(column / np.maximum(column * (kernel.T @ row), 1e-6), 1)
        matched = kernel * column / np.maximum(kernel @ column, 1e-9)[:, None]
        matched[matched < 0.1] = 0
        matched[known[0], known[1]] = 1
        matched = sp.csr_matrix(matched)
        if by_class is None:
            evidence = (graphs[0] @ sp.diags(rarity[0]) @ matched @ (graphs[1] @ sp.diags(rarity[1])).T).toarray()
        else:
            evidence = sum(by_class[i, j] * (part(0, i) @ matched @ part(1, j).T).toarray()
                           for i in range(CLASSES) for j in range(CLASSES))
        masses = [np.asarray(matched.sum(1)).ravel(), np.asarray(matched.sum(0)).ravel()]
        norms = [np.sqrt(graphs[s].multiply(graphs[s]) @ (rarity[s] ** 2 * masses[s])) + 0.7 for s in (0, 1)]
        scores = close(0.1 * prior + evidence / norms[0][:, None] / norms[1][None, :])
    is_open = np.ones(users[1], bool)
    is_open[known[1]] = False
    found = []
    for a, b in set(truth) - set(labels):
        row = scores[a][is_open]
        found.append(1 + (row > scores[a, b]).sum() + ((row == scores[a, b]).sum() - 1) / 2)
    return np.array(found)


def weighted(edges, truth, noise, random):
    partner = dict(truth)
    strength = [random.lognormal(0, 1, len(one)) for one in edges]
    place = {edge: i for i, edge in enumerate(edges[1])}
    for i, (x, y) in enumerate(edges[0]):
        found = place.get(tuple(sorted((partner.get(x, -1), partner.get(y, -1)))))
        if found is not None:
            strength[0][i] = strength[1][found]
    return [one * np.exp(noise * random.randn(len(one))) for one in strength]


def main(program, noise=0.3, seeds=3):
    print("contexts  evidence   precision@30    hits@1")
    results = {way: [] for way in WAYS}
    for seed in range(1, int(seeds) + 1):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([program, "generate", "--out", folder, "--users-a", "1200", "--users-b", "1200", "--anchors",
                            "800", "--edges-a", "8000", "--edges-b", "9000", "--seed", str(seed), "--quiet"],
                           check=True, stdout=subprocess.DEVNULL)
            users, edges, truth = read_pair(folder)
        random = np.random.RandomState(seed)
        weights = weighted(edges, truth, float(noise), random)
        labels = [truth[i] for i in random.permutation(len(truth))[:80]]
        for way in WAYS:
            found = ranks(users, edges, weights, truth, labels, *way)
            results[way].append(((found <= 30).mean(), (found <= 1).mean()))
    for way, values in results.items():
        mean, spread = np.mean(values, 0), np.std(values, 0, ddof=1)
        print(f"{way[0]:9} {way[1]:9} {mean[0]:.3f} ({spread[0]:.3f})  {mean[1]:.3f} ({spread[1]:.3f})")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(*sys.argv[1:])
