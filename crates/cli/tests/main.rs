//! Tests of the command. One program, since each costs a link and a copy of everything.

mod architecture;
mod asm_dis;
mod bundle;
mod captures;
mod cc;
mod check;
mod circles;
mod clrx;
mod common;
mod demo;
mod documents;
mod exec;
mod explain;
mod fidelity;
mod help;
mod info;
mod launch;
mod linked;
#[path = "../../object/tests/common/made.rs"]
mod made;
mod matrices;
mod maxwell;
mod newcomer;
mod picture;
mod preload;
mod presentation;
mod profile;
mod programs;
#[path = "../../check/tests/common/random.rs"]
mod random;
mod reference;
mod schedule;
mod sessions;
mod signatures;
#[path = "../../check/tests/common/slow.rs"]
mod slow;
mod stage;
mod targets;
mod undefined;
mod visa;
mod words;
mod wrong_input;
