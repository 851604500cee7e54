//! Help texts and lists, which people and programs rely on.

use std::io::Read as _;
use std::process::Stdio;

use super::{WORKSPACE, Workbench};

#[test]
fn help_texts() {
    let bench = Workbench::new();
    for command in ["", "compare", "join", "render", "reproduce", "list"] {
        for flag in ["-h", "--help"] {
            let arguments = format!("{command} {flag}");
            let outcome = bench.run(&arguments);
            assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
            let name = format!("help {}", arguments.trim());
            insta::assert_snapshot!(name, outcome.stdout);
        }
    }
}

#[test]
fn as_the_command_of_a_workspace_it_names_that() {
    let bench = Workbench::new();
    let said = |arguments: &str| {
        let output = bench
            .command(arguments)
            .env(WORKSPACE, bench.path(""))
            .output()
            .unwrap();
        let both = [output.stdout, output.stderr].concat();
        String::from_utf8(both).unwrap()
    };
    let help = said("compare --help");
    assert!(
        help.contains("\n  cargo xtask compare --quick --dataset app-accounts\n"),
        "{help}"
    );
    assert!(help.contains("[default: reports/latest"), "{help}");
    let mistake = bench.run("compare --function nosuch").stderr;
    assert!(mistake.contains("the command `list` shows all"), "{mistake}");
}

#[test]
fn list_names_everything() {
    let bench = Workbench::new();
    for (arguments, is_long) in [("list", false), ("list --long", true)] {
        let outcome = bench.run(arguments);
        assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
        let said = outcome.stdout;
        for name in ["CRC-32", "foldhash", "video-ids", "app-accounts"] {
            assert!(said.contains(name), "{name}");
        }
        assert!(said.lines().all(|line| line.chars().count() <= 100), "{said}");
        assert_eq!(said.contains("weakness"), is_long);
    }
}

#[test]
fn a_reader_may_leave_early() {
    let bench = Workbench::new();
    let mut child = bench
        .command("list --long")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(said, "");
}
