//! The example `read_through`, as a process.

use std::path::Path;
use std::process::Command;

use crate::support::Server;

#[test]
fn it_prints_what_its_first_lines_say_and_leaves_nothing_behind() {
    let server = Server::start(&[]);
    // Cargo builds examples beside the folder of the tests.
    let test = std::env::current_exe().unwrap();
    let folder = test.parent().and_then(Path::parent).unwrap();
    let output = Command::new(folder.join("examples/read_through"))
        .arg(server.url())
        .output()
        .expect("an example, which `cargo test` builds if no test program is named");
    assert!(output.status.success(), "{output:?}");
    let stdout = String::from_utf8(output.stdout).unwrap();
    let source = include_str!("../../examples/read_through.rs");
    for line in stdout.lines() {
        assert!(source.contains(&format!("//! {line}\n")), "{line}");
    }
    assert_eq!(stdout.lines().count(), 1);
    assert!(server.words::<Vec<String>>(&["KEYS", "*"]).is_empty());
}
