//! The program behind `cargo xtask bench`.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    bench::command::run()
}
