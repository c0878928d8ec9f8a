//! SUATOM as an instruction set of one instruction.

use super::bundle::{Bundle, Slot};
use super::decode::{DecodeError, decode};
use super::encode::{EncodeError, encode};
use super::generation::Generation;
use super::inst::Inst;
use super::lift::{STEP, block};
use super::listing::{Listing, shown};
use super::operand_constraints;
use super::source::source;
use super::text::assemble;
use crate::isa::{Program, SurfaceIsa};
use crate::source::{Line, LineError};
use crate::text_error::TextError;

impl SurfaceIsa for Generation {
    const NAME: &'static str = "SUATOM";
    const STEP: u64 = STEP;

    type Inst = Inst;
    type Code = u64;
    type Statement = Slot;
    type DecodeError = DecodeError;
    type EncodeError = EncodeError;

    fn decode(self, word: &u64) -> Result<Inst, DecodeError> {
        decode(*word, self)
    }

    fn encode(self, inst: &Inst) -> Result<u64, EncodeError> {
        encode(inst)
    }

    fn keeps_rules(self, inst: &Inst) -> bool {
        operand_constraints::check(inst).is_ok()
    }

    fn parse(self, text: &str) -> Result<Inst, TextError> {
        assemble(text, self).map(|(inst, _)| inst)
    }

    fn source(self, text: &str, most: usize) -> (Vec<Line<Slot>>, Vec<LineError>) {
        source(text, self, most)
    }

    fn print(self, slot: &Slot) -> String {
        shown(slot.word, slot.control, self)
    }

    fn pack(self, lines: &[Line<Slot>]) -> Vec<u8> {
        let slots: Vec<Slot> = lines.iter().map(|line| line.statement).collect();
        Bundle::pack(&slots)
    }

    fn listing(self, code: &[u8]) -> String {
        let generation = self;
        Listing { code, generation }.to_string()
    }

    fn program(self, insts: &[Inst]) -> Result<Program, String> {
        let insts = insts.to_vec();
        Ok(Box::new(move |pc, most| block(&insts, pc, most)))
    }
}
