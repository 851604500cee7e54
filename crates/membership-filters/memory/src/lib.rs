#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod phones;
mod structures;

pub use phones::{DIGITS, NUMBERS, Phones, digits};
pub use structures::{Keys, Measured, Meter, Structure};
