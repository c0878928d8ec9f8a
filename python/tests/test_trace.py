"""Traces of launches."""

import numpy as np
import pytest

import wavetank as wt


def test_a_wave_is_traced(saxpy, device):
    x = device.array(np.arange(128, dtype=np.float32))
    y = device.array(np.ones(128, np.float32))
    trace = wt.trace(saxpy, x, y, 2.0, 128, grid=128, block=64, group=(1, 0, 0))
    texts = [step.text.split()[0] for step in trace]
    assert texts[0] == "s_load_dwordx4" and texts[-1] == "s_endpgm" and len(trace) == 13
    assert trace.fault is None and [step.function for step in trace] == ["saxpy"] * 13
    assert trace[1].offset == 8 and trace[1].changes["s9"] == 128
    load = trace[texts.index("global_load_dword")]
    np.testing.assert_array_equal(load.changes["v2"].view(np.float32), np.arange(64, 128))
    assert load.accesses[5] == ("load", "global", 5, x.address + 4 * 69, 4)
    store = trace[texts.index("global_store_dword")]
    assert {access[0] for access in store.accesses} == {"store"} and len(store.accesses) == 64
    # The other work-group ran as well.
    np.testing.assert_array_equal(y.numpy(), 2 * np.arange(128) + 1)
    assert "v_fma_f32" in str(trace) and "v_fma_f32" in trace._repr_html_()
    assert len(wt.trace(saxpy, x, y, 2.0, 128, grid=128, block=64, most=3)) == 3
    assert wt.trace(saxpy, x, y, 2.0, 128, grid=128, block=64, wave=7) == []


def test_a_trace_ends_before_a_fault(saxpy):
    x = np.zeros(64, np.float32)
    trace = wt.trace(saxpy, x, x.copy(), 1.0, 128, grid=128, block=64, group=(1, 0, 0))
    assert isinstance(trace.fault, wt.Fault) and trace[-1].text.startswith("v_lshlrev_b32")
    assert "outside" in trace._repr_html_() or "ended" in trace._repr_html_()
    with pytest.raises(wt.ArgumentError):
        wt.trace(saxpy, x, grid=64)
    with pytest.raises(TypeError):
        wt.trace(saxpy, x, x, 1.0, 64, grid=64, group=5)
