//! The GCN instruction set as data: tables, decode, encode, print and parse.
