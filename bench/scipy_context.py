"""Structural contexts by SciPy's sparse products, for the benchmark: python3 scipy_context.py NETWORK...

Prints the processor time in milliseconds of the faster of two ways, over all networks together:
sparse products throughout, or sparse ones up to the last, which is sparse times dense.
"""
import sys
import time

import numpy as np
import scipy.sparse as sp

RESTART, STEPS = 0.6, 3


def read(path):
    edges = np.loadtxt(path, dtype=np.int64, comments="#")
    users = edges.max() + 1
    ones = np.ones(len(edges), np.float32)
    both = sp.csr_matrix((ones, (edges[:, 0], edges[:, 1])), shape=(users, users))
    both = ((both + both.T) > 0).astype(np.float32)
    return sp.csr_matrix(both.multiply(1 / np.maximum(both.sum(1), 1)), dtype=np.float32)


def context(step, last_is_dense):
    on = [(1 - RESTART) ** k for k in range(STEPS + 1)]
    weight = [(STEPS - k) * RESTART * on[k] + (on[k] if k else 0) for k in range(STEPS + 1)]
    home = sp.identity(step.shape[0], np.float32, "csr")
    rows = home * np.float32(weight[STEPS])
    for k in range(STEPS - 1, 0, -1):
        rows = step @ rows + home * np.float32(weight[k])
    rows = step @ (rows.toarray() if last_is_dense else rows)
    if not last_is_dense:
        rows = rows.toarray()
    rows[np.diag_indices(len(rows))] += np.float32(weight[0])
    return rows


steps = [read(path) for path in sys.argv[1:]]
best = None
for last_is_dense in (True, False):
    start = time.process_time()
    sums = [float(context(step, last_is_dense).sum()) for step in steps]
    spent = time.process_time() - start
    best = spent if best is None else min(best, spent)
print(f"{best * 1e3:.1f}")
