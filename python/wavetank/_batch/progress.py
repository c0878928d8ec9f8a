"""A progress bar where people look: on a terminal and in a notebook, if ``tqdm`` is installed."""

from __future__ import annotations

import importlib
import sys
from collections import Counter
from typing import Any, Optional

from . import result as status


class Progress:
    """Counts results, and shows them if it is wanted: ``None`` shows them where a person may be."""

    def __init__(self, total: Optional[int], wanted: Optional[bool]) -> None:
        self._bar: Any = None
        self._others: "Counter[str]" = Counter()
        if wanted is None:
            wanted = "ipykernel" in sys.modules or bool(getattr(sys.stderr, "isatty", bool)())
        if wanted:
            try:
                tqdm = importlib.import_module("tqdm.auto").tqdm
            except ImportError:
                return
            self._bar = tqdm(total=total, unit="item")

    def add(self, kind: str) -> None:
        """Counts a result by its status."""
        if self._bar is None:
            return
        if kind != status.OK:
            self._others[kind] += 1
            self._bar.set_postfix(self._others, refresh=False)
        self._bar.update()

    def close(self) -> None:
        """Ends the bar, which stays on the screen."""
        if self._bar is not None:
            self._bar.close()
