"""Assembly, disassembly, explanations, single instructions.

Encodings are those of LLVM's tests of its assembler (llvm/test/MC/AMDGPU), lengths and opcodes those of the ISA manuals.
"""

import numpy as np
import pytest

import wavetank as wt
from conftest import SAXPY, SIGNATURE


def test_sources_are_assembled():
    # s_nop 1 is 0xbf800001, s_endpgm 0xbf810000 (Vega ISA, 12.5).
    assert wt.asm("s_nop 1\ns_endpgm").code == bytes.fromhex("010080bf 000081bf")
    assert bytes(wt.asm("s_endpgm"))[:4] == b"\x7fELF"
    lines = wt.asm("start:\n  s_nop 3\n\n  s_branch start").instructions
    assert [(inst.text, inst.line, inst.address) for inst in lines] == [
        ("s_nop 3", 2, 0),
        ("s_branch 65534", 4, 4),
    ]
    assert wt.asm("s_nop x", defines={"x": 7}).code[0] == 7


def test_wrong_lines_are_listed():
    with pytest.raises(wt.AssemblyError) as caught:
        wt.asm("s_nop 1\ns_nop s0\n  v_wrong v0")
    assert [error[0] for error in caught.value.errors] == [2, 3]
    line, column, sentence, text = caught.value.errors[1]
    assert (column, text) == (3, "  v_wrong v0") and "v_wrong" in sentence
    assert isinstance(caught.value, (wt.Error, ValueError))
    with pytest.raises(wt.ArgumentError):
        wt.asm("s_nop 1", chip="gfx1")
    with pytest.raises(wt.ArgumentError):
        wt.asm("s_nop 1", kernels=["not a signature"])
    with pytest.raises(wt.ArgumentError):
        wt.asm("s_nop 1", dialect="att")


def test_a_source_names_no_other_chip_than_its_caller():
    source = '.amdgcn_target "amdgcn-amd-amdhsa--gfx906"\ns_nop 1'
    assert wt.asm(source).code == wt.asm(source, "gfx906").code
    with pytest.raises(wt.AssemblyError, match="gfx906"):
        wt.asm(source, "gfx900")


def test_the_chip_of_the_device_is_that_of_an_open_source():
    # v_add_u32 is an instruction of gfx9 with another opcode on gfx8, where it writes a carry.
    source = "put:\n s_load_dwordx2 s[0:1], s[0:1], 0x0\n s_waitcnt lgkmcnt(0)\n s_endpgm"
    assembly = wt.asm(source, kernels=["put(global u32* out)"])
    for chip in ["gfx803", "gfx906", "gfx90a"]:
        with wt.Device(chip) as gpu:
            assert gpu.load(assembly).target.startswith(chip)
    with wt.Device("gfx803") as gpu, pytest.raises(wt.Error, match="gfx900"):
        gpu.load(wt.asm(source, chip="gfx900", kernels=["put(global u32* out)"]))


def test_instructions_have_their_parts():
    code = wt.asm(
        """
        v_add_f32 v0, v1, v2
        global_load_dword v3, v[4:5], off offset:16 glc
        s_waitcnt vmcnt(0) lgkmcnt(1)
        ds_write_b32 v1, v2 offset:4
        global_atomic_add v1, v2, s[0:1]
        s_endpgm
        """
    ).code
    add, load, wait, write, atomic, end = wt.dis(code)
    assert (add.mnemonic, add.operands, add.modifiers) == ("v_add_f32_e32", ["v0", "v1", "v2"], "")
    assert set(add.writes) == {"v0"} and {"v1", "v2", "exec_lo"} <= set(add.reads)
    assert add.memory is None and len(add) == 4 and add.bytes == code[:4]
    assert load.operands == ["v3", "v[4:5]", "off"] and load.modifiers == "offset:16 glc"
    assert (load.memory, load.counters, load.address) == ("load", ["vmcnt"], 4)
    assert {"v4", "v5"} <= set(load.reads) and set(load.writes) == {"v3"}
    assert wait.operands == ["vmcnt(0) lgkmcnt(1)"] and wait.memory is None
    assert write.memory == "store" and write.counters == ["lgkmcnt"]
    assert atomic.memory == "atomic"
    assert (end.mnemonic, end.operands, end.reads) == ("s_endpgm", [], [])


def test_words_that_are_not_instructions_are_data():
    listing = wt.dis(bytes.fromhex("ffffffff 000081bf"))
    assert [inst.mnemonic for inst in listing] == [".long", "s_endpgm"]
    assert listing[0].operands == ["0xffffffff"] and listing[0].reads == []
    with pytest.raises(wt.ArgumentError, match="5 bytes"):
        wt.dis(b"12345")
    with pytest.raises(wt.ArgumentError):
        wt.explain(listing[0])


def test_code_objects_are_disassembled():
    listing = wt.dis(wt.asm(SAXPY, kernels=[SIGNATURE]))
    assert [inst.function for inst in listing] == ["saxpy"] * len(listing)
    assert [inst.mnemonic for inst in listing][-1] == "s_endpgm"
    assert wt.dis(bytes(wt.asm(SAXPY, kernels=[SIGNATURE])))[0].text == listing[0].text
    assert "v_fma_f32" in str(listing) and "v_fma_f32" in listing._repr_html_()


def test_explanations():
    facts = wt.explain("v_mul_lo_u32 v0, v1, v2")
    assert "32" in facts["sentence"] and facts["text"] == "v_mul_lo_u32 v0, v1, v2"
    assert "v0" in facts["pseudo_code"]
    assert ("OP", 16, 10) in [tuple(field) for field in facts["fields"]] or facts["fields"]
    assert wt.explain("s_and_saveexec_b64", chip="tahiti")["chip"] == "gfx600"
    assert wt.explain(wt.dis(bytes.fromhex("01050002"))[0])["text"].startswith("v_add_f32")
    with pytest.raises(wt.ArgumentError):
        wt.explain("v_nothing v0")


def test_explanations_have_hazards_and_fidelity():
    # Vega ISA, 4.5: a VALU write of an SGPR needs 4 wait states before V_READLANE selects a lane by it.
    facts = wt.explain("v_readlane_b32 s0, v1, s2", "gfx900")
    second = [hazard for hazard in facts["hazards"] if not hazard["is_first"]]
    lane = [hazard for hazard in second if "takes its lane" in hazard["when"]]
    assert [hazard["wait_states"] for hazard in lane] == [4], facts["hazards"]
    assert facts["fidelity"].startswith("exact: ") and facts["unit"] == "vector ALU"
    assert bytes.fromhex("000089d2 01050000") == facts["bytes"]
    assert wt.explain("global_load_dword")["counters"] == ["VM_CNT"]
    assert wt.explain("v_sin_f32")["fidelity"].split()[0] in ("within", "approximate:")
    assert wt.explain("s_nop")["not_executed"] is None


def test_explanations_of_atomics_on_surfaces():
    facts = wt.explain("SUATOM.D.2D.ADD R10, [R2], R4, R1", "maxwell:52")
    assert "R10 gets the value before" in facts["meaning"] and facts["isa"] == "maxwell:52"
    assert int(facts["word"], 16) == int.from_bytes(wt.asm_surface("SUATOM.D.2D.ADD R10, [R2], R4, R1;", "maxwell:52")[8:16], "little")
    line = "typed_atomic.inc (M1, 8) T6 V32.0 V33.0 V34.0 V35.0 %null.0 %null.0 V38.0"
    facts = wt.explain(line, "visa")
    assert bytes(facts["bytes"]) == wt.asm_surface(line, "visa") and "Dst gets" in facts["meaning"]
    for isa in ["maxwell:52", "visa"]:
        with pytest.raises(wt.ArgumentError):
            wt.explain("v_nop", isa)


def test_tables_of_atomics_on_surfaces():
    suatom = {name: opcode for name, _, opcode, _ in wt.isa("maxwell:52")}
    assert all((opcode is None) == (".CAS" in name) for name, opcode in suatom.items())
    assert any(name.startswith("SUATOM.D.ADD") for name in suatom) and any(".CAS" in name for name in suatom)
    typed = {name: opcode for name, _, opcode, _ in wt.isa("visa")}
    assert typed["typed_atomic.add"] != typed["typed_atomic.sub"] and len(typed) > 10


def test_the_table_of_instructions():
    rows = {name: (form, opcode) for name, form, opcode, _ in wt.isa("gfx900")}
    # Vega ISA, 12.5 and 12.8.
    assert rows["s_endpgm"] == ("SOPP", 1)
    assert rows["v_add_f32"] == ("VOP2", 1)
    assert "v_mfma_f32_32x32x1f32" not in rows
    assert any(name.startswith("v_mfma") for name, *_ in wt.isa("gfx908"))


def test_single_instructions_have_numpys_results():
    random = np.random.default_rng(5)
    a = random.standard_normal(64).astype(np.float32)
    b = random.standard_normal(64).astype(np.float32)
    state = wt.exec("v_mul_f32 v0, v1, v2; v_cmp_lt_f32 vcc, v1, v2", v1=a, v2=b)
    np.testing.assert_array_equal(state["v0"].view(np.float32), a * b)
    below = sum(1 << lane for lane in range(64) if a[lane] < b[lane])
    assert state["vcc"] == below
    assert state["exec"] == 2**64 - 1 and state.fault is None

    x = random.integers(0, 2**32, 64, dtype=np.uint32)
    state = wt.exec("v_add_co_u32 v0, vcc, v1, v2", v1=x, v2=np.uint32(2**31), exec=0xFF)
    np.testing.assert_array_equal(state["v0"][:8], (x + np.uint32(2**31))[:8])
    assert (state["v0"][8:] == 0).all()

    wide = random.standard_normal(64)
    state = wt.exec("v_add_f64 v[0:1], v[2:3], v[4:5]", {"v[2:3]": wide, "v[4:5]": np.float64(1.5)})
    both = np.stack([state["v0"], state["v1"]], axis=1).view(np.float64)[:, 0]
    np.testing.assert_array_equal(both, wide + 1.5)


def test_states_of_scalars_and_memory():
    state = wt.exec("s_add_u32 s0, s1, s2", s1=2**32 - 1, s2=2)
    assert (state["s0"], state["scc"]) == (1, 1)
    state = wt.exec("global_store_dword v[0:1], v2, off", {"v[0:1]": "&a"}, v2=7, mem={"a": [1, 2]}, exec=1)
    assert ("a[0]", 32, [], [7]) in state.changes
    state = wt.exec("s_load_dword s0, s[2:3], 0x0", {"s[2:3]": 0})
    assert "outside every buffer" in state.fault or "there is no buffer" in state.fault
    with pytest.raises(KeyError):
        state["x0"]
    for words in [{"v0": "what"}, {"v300": 1}]:
        with pytest.raises(wt.ArgumentError):
            wt.exec("v_mov_b32 v0, v1", **words)
    with pytest.raises(wt.ArgumentError):
        wt.exec("v_mov_b32 v0, v1", v1=np.array(["a"]))


def test_atomics_on_surfaces():
    state = wt.exec(
        "SUATOM.D.2D.ADD R10, [R2], R4, R1",
        {"R2": "0..31", "R4": 1, "R1": 6},
        "surface T6 2d 32x4 u32 iota",
        chip="maxwell:52",
    )
    values = {(x, y): value for number, level, (x, y, z), value in state.elements}
    # Row 0 holds 0 to 31; each thread adds 1 to its own element.
    assert len(values) == 32 and values[(5, 0)] == 6
    text = "typed_atomic.inc (M1, 8) T6 V32.0 V33.0 V34.0 V35.0 %null.0 %null.0 V38.0"
    state = wt.exec(text, {"V32": "0..7"}, "surface T6 3d 8x2x2 u32", chip="visa")
    assert state.elements


def test_text_of_atomics_on_surfaces():
    code = wt.asm_surface("SUATOM.D.2D.ADD R10, [R2], R4, R1;", "maxwell:52")
    # A bundle of Maxwell: a control word and three instructions of 8 bytes.
    assert len(code) == 32
    text = wt.dis_surface(code, "maxwell:52")
    assert wt.asm_surface(text, "maxwell:52") == code
    with pytest.raises(wt.AssemblyError) as caught:
        wt.asm_surface("SUATOM.D.2D.ADD R10, [R2], R4, R1;\nSUATOM what", "maxwell:52")
    assert [error[0] for error in caught.value.errors] == [2]
    line = "typed_atomic.inc (M1, 8) T6 V32.0 V33.0 V34.0 V35.0 %null.0 %null.0 V38.0"
    code = wt.asm_surface(line, "visa")
    assert wt.asm_surface(wt.dis_surface(code, "visa"), "visa") == code
    for wrong in ["gfx906", "maxwell:99", ""]:
        with pytest.raises(wt.ArgumentError, match="maxwell:52"):
            wt.asm_surface("", wrong)
        with pytest.raises(wt.ArgumentError):
            wt.dis_surface(b"", wrong)


def test_many_rows_are_the_rows_one_by_one():
    texts = ["s_nop 1", "v_add_f32_e32 v0, v1, v2", "wrong", "s_mov_b32 s0, 0x12345678", ""] * 3000
    code, offsets = wt.asm_many("\n".join(texts))
    lengths = np.diff(offsets)
    assert lengths[:4].tolist() == [4, 4, 0, 8] and code.dtype == np.uint8
    assert len(offsets) - 1 in (len(texts), len(texts) - 1)
    back, ends = wt.dis_many(code, offsets)
    rows = [bytes(back[a:b]).decode() for a, b in zip(ends[:5], ends[1:5])]
    assert rows == ["s_nop 1", "v_add_f32_e32 v0, v1, v2", "", "s_mov_b32 s0, 0x12345678"]
    one = wt.dis(bytes(code[offsets[3] : offsets[4]]))[0]
    assert one.text == rows[3]


@pytest.mark.parametrize("offsets", [[0], [0, 4], [1, 8], [0, 6, 4, 8], [0, 4, 9], [-4, 8], []])
def test_offsets_that_are_not_rows_are_refused(offsets):
    code = bytes.fromhex("010080bf 000081bf")
    with pytest.raises(wt.ArgumentError):
        wt.dis_many(code, np.array(offsets, np.int64))
    with pytest.raises(wt.ArgumentError):
        wt.dis_many(np.zeros(8, np.float32), [0, 8])
