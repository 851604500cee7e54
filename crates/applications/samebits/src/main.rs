//! The program `samebits`.
#![forbid(unsafe_code)]

use std::env;
use std::process::ExitCode;

fn main() -> ExitCode {
    samebits::run(env::args_os()).into()
}
