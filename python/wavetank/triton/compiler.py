"""The compiler's part of the backend: there is none. Triton's own compiler for AMD makes the code."""

from __future__ import annotations

from typing import Any, Dict

from triton.backends.compiler import BaseBackend


class NoCompiler(BaseBackend):
    """A backend that compiles for no target: the code is that of the backend ``amd``."""

    @staticmethod
    def supports_target(target: Any) -> bool:
        return False

    def hash(self) -> str:
        raise NotImplementedError

    def parse_options(self, options: Dict[str, Any]) -> object:
        raise NotImplementedError

    def add_stages(self, stages: Any, options: Any, language: Any = None) -> None:
        raise NotImplementedError

    def load_dialects(self, context: Any) -> None:
        raise NotImplementedError

    def get_module_map(self) -> Dict[str, Any]:
        raise NotImplementedError
