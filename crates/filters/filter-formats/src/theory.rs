#![doc = include_str!("../THEORY.md")]
