//! Tests on files that other programs wrote, and on damaged copies of them.

mod damaged;
mod golden;
mod reader;
mod values;
