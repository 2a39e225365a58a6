"""Seed, threads and progress of an operation."""

from __future__ import annotations

import os
import sys
from typing import Any, Callable, Optional, Union

from . import _dalaup

Progress = Union[None, bool, Callable[[str, int, int, str], Any]]


def make_control(seed: int = 1, threads: Optional[int] = None, progress: Progress = None) -> _dalaup.Control:
    """``progress``: a callable (task, done, total, note), True for tqdm, None for tqdm where somebody sees it."""
    return _dalaup.Control(seed, threads or 0, _callback(progress))


def _callback(progress: Progress) -> Optional[Callable[..., None]]:
    if callable(progress):
        return lambda task, done, total, note, finished: progress(task, done, total, note)
    if progress is None:
        progress = sys.stderr is not None and sys.stderr.isatty() or "ipykernel" in sys.modules
    if not progress or os.environ.get("TQDM_DISABLE"):
        return None
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return _TqdmBars(tqdm)


class _TqdmBars:
    def __init__(self, tqdm: Any) -> None:
        self.tqdm = tqdm
        self.bar: Any = None

    def __call__(self, task: str, done: int, total: int, note: str, finished: bool) -> None:
        if self.bar is None or self.bar.desc != f"{task}: ":
            self._close()
            self.bar = self.tqdm(desc=task, total=total or None, leave=False)
        self.bar.set_postfix_str(note, refresh=False)
        self.bar.update(done - self.bar.n)
        if finished:
            self._close()

    def _close(self) -> None:
        if self.bar is not None:
            self.bar.close()
            self.bar = None
