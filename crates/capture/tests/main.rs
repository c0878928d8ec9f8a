//! Captures, written and read.

mod files;
