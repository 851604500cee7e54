//! [FORMAT.md]: crate::format
//! [THEORY.md]: crate::theory
//!
#![doc = include_str!("../WHICH.md")]
