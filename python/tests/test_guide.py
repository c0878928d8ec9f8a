"""The code of the guide runs, from its first block to its last."""

import pathlib
import re

import wavetank as wt
from wavetank.testing import assert_no_findings

GUIDE = pathlib.Path(__file__).parents[2] / "docs" / "how-to" / "python.md"

SAXPY = """
saxpy:
    s_load_dwordx4 s[4:7], s[0:1], 0x0
    s_load_dword s8, s[0:1], 0x10
    v_lshl_add_u32 v0, s2, 8, v0
    v_lshlrev_b32 v1, 2, v0
    s_waitcnt lgkmcnt(0)
    global_load_dword v2, v1, s[4:5]
    global_load_dword v3, v1, s[6:7]
    s_waitcnt vmcnt(0)
    v_fma_f32 v3, v2, s8, v3
    global_store_dword v1, v3, s[6:7]
    s_endpgm
"""


def test_the_guide_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    pathlib.Path("saxpy.s").write_text(SAXPY)
    code = wt.asm(SAXPY, "gfx906", kernels=["saxpy(global const f32* x, global f32* y, f32 a)"])
    pathlib.Path("saxpy.hsaco").write_bytes(bytes(code))
    blocks = re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.S)
    assert len(blocks) == 8
    names = {}
    for block in blocks:
        exec(compile(block, str(GUIDE), "exec"), names)
    printed = capsys.readouterr().out
    # 1 + 2 * 1, and the 11 instructions of 16 waves.
    assert "[3. 3. 3. 3.] 176 " in printed
    assert "v_fma_f32" in printed
    # The hooks on the instruction, and on the store, of each wave.
    assert printed.count("(0, 0, 0) v_fma_f32 v3, v2, s8, v3") == 4
    assert printed.count("store [ 0  1  2") == 16
    assert names["findings"] == []
    for index in range(3):
        assert f"{index} ok \n" in printed
    names["test_saxpy"](names["gpu"], assert_no_findings)
