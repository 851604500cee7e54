//! No kernel touches a byte outside its slices. A separate program, because a kernel that does ends the program.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod arch;
mod equations;
#[path = "../all/support/layouts.rs"]
#[expect(dead_code, reason = "policies build the filters")]
mod layouts;
mod slices;
