"""Disassembly as a list of instructions that shows itself."""

from __future__ import annotations

import html
import os
from typing import List, Optional, Union

from . import _wavetank


class Listing(List["_wavetank.Instruction"]):
    """A list of instructions. ``str`` of it is a listing; a notebook shows a table."""

    def __str__(self) -> str:
        return "\n".join(f"{inst.address:#8x}  {inst.text}" for inst in self)

    def _repr_html_(self) -> str:
        rows = []
        function = None
        for inst in self:
            if inst.function != function:
                function = inst.function
                rows.append(f'<tr><th colspan="3" style="text-align:left">{html.escape(function or "")}</th></tr>')
            code = inst.bytes.hex(" ", 4)
            cells = (f"{inst.address:#x}", html.escape(inst.text), code)
            rows.append("<tr>" + "".join(f'<td style="text-align:left">{cell}</td>' for cell in cells) + "</tr>")
        return f'<table class="wavetank-listing" style="font-family:monospace">{"".join(rows)}</table>'


def dis(
    code: Union[bytes, str, "os.PathLike[str]", "_wavetank.Assembly"],
    chip: Optional[str] = None,
) -> Listing:
    """Disassembles code: a path or the bytes of a code object, a bundle or a host program, the result of ``asm``, or plain words.

    ``chip`` selects a part of a bundle. Plain words are for it, or for gfx900.

    >>> import wavetank as wt
    >>> inst = wt.dis(bytes.fromhex("01050002"))[0]
    >>> inst.mnemonic, inst.operands, inst.writes
    ('v_add_f32_e32', ['v0', 'v1', 'v2'], ['v0'])
    >>> inst.reads
    ['exec_lo', 'exec_hi', 'v1', 'v2', 'mode']
    """
    return Listing(_wavetank.dis(code, chip))
