//! A session with a program, written as text and repeated by a test. The tests of each program link to this file.
//!
//! A session is Markdown. Its `console` blocks are the commands of one Bash in a temporary folder: `$ ` begins a
//! command, `> ` continues it, and its output follows. Lines of standard error begin with `! `, and a last line `? 2` is
//! an exit code other than 0. `[..]` stands for any text within a line, and a line `...` for any lines.
//! `SNAPSHOTS=overwrite` makes the test rewrite the output.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use snapbox::filter::NormalizeToExpected;
use snapbox::{Assert, Data, Redactions};

/// Prints the output and the exit code of the last command, and a character that ends them.
const SHOW: &str = r#"
show() {
    code=$?
    cat "$TMPDIR/out"
    sed -e 's/^/! /' -e 's/^! $/!/' "$TMPDIR/err"
    [ $code = 0 ] || echo "? $code"
    printf '\036'
}
"#;

/// A command, its output, and the text between that and the next command.
#[derive(Default)]
struct Step {
    written: String,
    command: String,
    output: String,
    after: String,
}

/// Returns the text before the first command as a step without a command, and all commands.
fn steps(session: &str) -> Vec<Step> {
    let mut steps = vec![Step::default()];
    let mut is_session = false;
    for line in session.split_inclusive('\n') {
        let last = steps.last_mut().unwrap();
        if line.starts_with("```") {
            is_session = line.trim_end() == "```console";
            last.after.push_str(line);
        } else if !is_session {
            last.after.push_str(line);
        } else if let Some(command) = line.strip_prefix("$ ") {
            steps.push(Step {
                written: line.to_owned(),
                command: command.to_owned(),
                ..Step::default()
            });
        } else if let Some(more) = line.strip_prefix("> ") {
            last.written.push_str(line);
            last.command.push_str(more);
        } else {
            last.output.push_str(line);
        }
    }
    steps
}

/// Repeats the session of a file in a folder, and compares the output. The commands find the program by its name, and
/// other paths in environment variables.
#[track_caller]
pub(crate) fn repeat(file: &Path, folder: &Path, program: &Path, paths: &[(&str, PathBuf)]) {
    let steps = steps(&fs::read_to_string(file).unwrap());
    let mut script = SHOW.to_owned();
    for step in &steps[1..] {
        script += &format!(
            "{{ {}}} </dev/null >\"$TMPDIR/out\" 2>\"$TMPDIR/err\"\nshow\n",
            step.command
        );
    }
    let temporary = tempfile::tempdir().unwrap();
    let folders = env::var_os("PATH").unwrap();
    let folders = [program.parent().unwrap().to_owned()]
        .into_iter()
        .chain(env::split_paths(&folders));
    let output = Command::new("bash")
        .args(["-o", "pipefail", "-c", &script])
        .current_dir(folder)
        .env("PATH", env::join_paths(folders).unwrap())
        .env("TMPDIR", temporary.path())
        .env("COLUMNS", "100")
        .env("LC_ALL", "C")
        .env_remove("CLICOLOR_FORCE")
        .env_remove("RUST_BACKTRACE")
        .env_remove("HASH_COMPARISON_WORKSPACE")
        .envs(paths.iter().map(|(name, path)| (name, path)))
        .output()
        .unwrap();
    let printed = String::from_utf8(output.stdout).expect("output is UTF-8");
    assert!(!printed.contains("panicked at"), "{printed}");
    let printed: Vec<&str> = printed.split_terminator('\x1e').collect();
    let broken = String::from_utf8_lossy(&output.stderr);
    assert_eq!(printed.len(), steps.len() - 1, "the shell ended early: {broken}");

    let mut redactions = Redactions::new();
    redactions.insert("[HERE]", folder.to_owned()).unwrap();
    let mut actual = steps[0].after.clone();
    for (step, printed) in steps[1..].iter().zip(printed) {
        let mut printed = printed.to_owned();
        if !printed.is_empty() && !printed.ends_with('\n') {
            printed += "\\ no line feed at the end\n";
        }
        // Each output by itself, so that what stands for any text stays when another output changes.
        let expected = Data::text(step.output.as_str());
        let normalize = NormalizeToExpected::new().redact_with(&redactions);
        let printed = normalize.normalize(Data::text(printed), &expected).to_string();
        actual.extend([step.written.as_str(), &printed, &step.after]);
    }
    let expected = Data::read_from(file, None).raw();
    Assert::new().action_env("SNAPSHOTS").eq(actual, expected);
}
