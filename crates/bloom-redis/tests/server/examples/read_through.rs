//! The example `read_through`: its counts, and the removal of its keys.

use std::process::Output;

use super::text;
use crate::support::Server;

fn run(url: &str, arguments: &str) -> Output {
    let arguments: Vec<&str> = ["--redis", url].into_iter().chain(arguments.split(' ')).collect();
    super::run("read_through", &arguments, b"")
}

/// Returns the output in the example's documentation.
fn documented() -> String {
    let source = include_str!("../../../examples/read_through/main.rs");
    let lines: Vec<&str> = source
        .lines()
        .map(|line| line.trim_start_matches("//!"))
        .map(|line| line.strip_prefix(' ').unwrap_or(line))
        .collect();
    let block = lines.split(|line| line.starts_with("```")).nth(3).unwrap();
    format!("{}\n", block.join("\n"))
}

#[test]
fn it_prints_what_its_first_lines_say_and_leaves_nothing_behind() {
    let server = Server::start(&[]);
    let () = server.words(&["SET", "mine", "stays"]);
    for _ in 0..2 {
        let output = run(&server.url(), "--rows 1000 --lookups 5000 --seed 7");
        assert!(output.status.success(), "{output:?}");
        assert_eq!(text(&output.stdout), documented());
        assert_eq!(server.words::<Vec<String>>(&["KEYS", "*"]), ["mine"]);
    }
}

#[test]
fn what_is_wrong_is_said() {
    let server = Server::start(&[]);
    for (url, arguments, code, part) in [
        (&*server.url(), "--rows many", 2, "--rows"),
        ("http://127.0.0.1/", "--rows 1", 2, "--redis"),
        ("redis://127.0.0.1:1/", "--rows 1", 1, "error: "),
    ] {
        let output = run(url, arguments);
        assert_eq!(
            (output.status.code(), text(&output.stdout)),
            (Some(code), ""),
            "{arguments}"
        );
        assert!(text(&output.stderr).contains(part), "{output:?}");
    }
}
