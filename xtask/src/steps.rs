//! Steps, which run one after another, and the table of their times.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::cargo::failed;

/// What a step does in the workspace's folder.
type Run = fn(&Path) -> Result<(), String>;

/// A step, with the name that a person reads.
pub(crate) type Step = (&'static str, Run);

/// The environment variable that passes the workspace's path to the programs that this one starts.
pub(crate) const WORKSPACE: &str = "HASH_COMPARISON_WORKSPACE";

/// Returns the folder of the workspace's `Cargo.toml`.
pub(crate) fn root() -> PathBuf {
    // Cargo sets the package's folder for a program that it runs. A program started by hand uses the folder in which it
    // was built.
    let package = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    package.parent().map_or_else(|| package.clone(), PathBuf::from)
}

/// Runs the steps, and stops at the first that fails. Prints the time of each.
pub(crate) fn run(steps: &[Step]) -> Result<(), String> {
    let root = root();
    let mut result = Ok(());
    let mut times = Vec::new();
    for (name, step) in steps {
        println!("\n==> {name}");
        let start = now();
        result = step(&root).map_err(|error| failed(name, error));
        times.push((*name, start.elapsed()));
        if result.is_err() {
            break;
        }
    }
    println!("\n{}", table(&times));
    for (name, _) in &steps[times.len()..] {
        println!("not run: {name}");
    }
    result
}

#[expect(
    clippy::disallowed_methods,
    reason = "times of steps are for people; nothing depends on them"
)]
fn now() -> Instant {
    Instant::now()
}

/// Formats the times of the steps and their sum.
fn table(times: &[(&str, Duration)]) -> String {
    let row = |name: &str, time: Duration| {
        let seconds = time.as_secs();
        format!("{:>4}:{:02}  {name}\n", seconds / 60, seconds % 60)
    };
    let rows: String = times.iter().map(|&(name, time)| row(name, time)).collect();
    rows + &row("in all", times.iter().map(|&(_, time)| time).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_a_row_for_each_step_and_the_sum() {
        let times = [
            ("format", Duration::from_millis(3900)),
            ("tests", Duration::from_secs(61)),
        ];
        assert_eq!(
            table(&times),
            "   0:03  format\n   1:01  tests\n   1:04  in all\n"
        );
    }

    #[test]
    fn the_first_failure_ends_a_run_and_is_named() {
        let steps: [Step; 3] = [
            ("one", |_| Ok(())),
            ("two", |_| Err("broken".to_owned())),
            ("three", |_| panic!("must not run")),
        ];
        assert_eq!(run(&steps), Err("two: broken".to_owned()));
    }
}
