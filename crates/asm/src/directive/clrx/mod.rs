//! Directives of CLRX's dialect alone.
//!
//! Source: CLRX's documentation, "CLRX Assembler Pseudo-Operations", and the pages of its binary formats.

mod catalyst_argument;
mod catalyst_raw;
mod catalyst_settings;
mod config;
mod data;
mod gallium;
mod kernel;
mod metadata;
mod repeat;
mod scope;
mod target;
mod target_conditions;

use crate::session::Handler;

/// Returns the rows of CLRX. They take precedence over those that it shares with LLVM.
pub(super) fn rows() -> impl Iterator<Item = Handler> {
    let rows = [
        target_conditions::ROWS,
        target_conditions::ELSE_ROWS,
        super::conditional::ELSE_ROWS,
        data::ROWS,
        kernel::ROWS,
        metadata::ROWS,
        repeat::ROWS,
        scope::ROWS,
        target::ROWS,
        gallium::ROWS,
        catalyst_settings::ROWS,
        catalyst_raw::ROWS,
        config::ROWS,
    ];
    let rows = rows.into_iter().flatten().copied();
    rows.chain(config::fields())
}
