"""Findings of the tools."""

import pickle

import numpy as np
import pytest

import wavetank as wt
from conftest import SAXPY, SIGNATURE

RACE = """
race:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    v_lshlrev_b32 v1, 2, v0
    v_sub_u32 v2, 508, v1
    s_mov_b32 m0, -1
    ds_write_b32 v1, v0
    s_waitcnt lgkmcnt(0)
    {barrier}
    ds_read_b32 v3, v2
    s_waitcnt lgkmcnt(0)
    global_store_dword v1, v3, s[4:5]
    s_endpgm
"""


def kernel(barrier):
    gpu = wt.Device("gfx906", threads=1)
    source = RACE.format(barrier=barrier)
    return gpu.load(wt.asm(source, kernels=["race(global u32* out) lds 512"]))["race"]


def test_a_missing_barrier_is_found():
    out = np.zeros(128, np.uint32)
    assert wt.check(kernel("s_barrier"), out, grid=128, block=128) == []
    np.testing.assert_array_equal(out, np.arange(128)[::-1])
    findings = wt.check(kernel(""), out, grid=128, block=128, tools=["race", "sync"])
    assert {finding.tool for finding in findings} == {"race"}
    finding = findings[0]
    assert finding.rule.startswith("race/") and finding.kernel == "race"
    assert "LDS" in finding.message and finding.instruction.startswith("ds_")
    assert finding.rule in str(finding) and finding.times >= 1
    assert "<pre>" in finding._repr_html_() and finding.rule in finding._repr_html_()
    assert '"rule"' in finding.json()
    assert wt.check(kernel(""), out, grid=128, block=128, tools=["memory"]) == []


def test_findings_go_from_process_to_process():
    for finding in wt.check(kernel(""), np.zeros(128, np.uint32), grid=128, block=128):
        other = pickle.loads(pickle.dumps(finding))
        assert str(other) == str(finding) and other.json() == finding.json()
        assert other.with_code() == finding.with_code()
        for name in ["tool", "rule", "message", "kernel", "pc", "instruction", "line", "notes", "help", "times"]:
            assert getattr(other, name) == getattr(finding, name), name
    with pytest.raises(wt.ArgumentError):
        wt.Finding._read("{}", ("", ""))


def test_a_fault_is_a_finding(saxpy):
    x = np.zeros(64, np.float32)
    findings = wt.check(saxpy, x, x.copy(), 1.0, 128, grid=128, block=64, tools=["memory"])
    assert findings and all(finding.tool == "memory" for finding in findings)


def test_wrong_calls(saxpy):
    x = np.zeros(64, np.float32)
    with pytest.raises(wt.ArgumentError, match="magic"):
        wt.check(saxpy, x, x, 1.0, 1, grid=64, tools=["magic"])
    with pytest.raises(wt.ArgumentError, match="takes 4 arguments"):
        wt.check(saxpy, x, grid=64)
    with pytest.raises(wt.ArgumentError, match="race"):
        wt.check_file(b"", tools=["race"])


def test_files_are_read_without_running(tmp_path):
    assert wt.check_file(wt.asm(SAXPY, kernels=[SIGNATURE])) == []
    early = SAXPY.replace("s_waitcnt vmcnt(0)", "")
    path = tmp_path / "early.co"
    path.write_bytes(bytes(wt.asm(early, kernels=[SIGNATURE])))
    for code in [path, str(path), path.read_bytes()]:
        findings = wt.check_file(code)
        assert [finding.rule for finding in findings][:1] == ["wait/read-before-load"]
    assert wt.check_file(path, tools=["hazard"]) == []
    with pytest.raises(wt.Error):
        wt.check_file(b"nothing")
