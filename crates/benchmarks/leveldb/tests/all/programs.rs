//! Builds the programs in `examples/` as the guide says, and checks their output, and that valgrind finds neither
//! errors nor leaks.
//!
//! The tests need a C and a C++ compiler named `cc` and `c++`, and valgrind.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const OUTPUT: &str = "10000 of 10000 stored keys found\n0 of 10000 absent keys found\n";

fn library_package() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../filter-policy-leveldb")
}

/// Runs a program and returns its standard output; on failure, panics with all output.
fn run(command: &mut Command) -> String {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?} cannot be run: {error}"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(
        output.status.success(),
        "{command:?}: {}\n{}{}",
        output.status,
        text(&output.stdout),
        text(&output.stderr)
    );
    text(&output.stdout)
}

/// Returns the target folder, which all builds of the library share.
fn target() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap()
}

/// Installs the library below a folder with the first commands of the guide.
fn install(prefix: &Path) {
    let root = library_package().join("../..");
    let guide = fs::read_to_string(root.join("crates/guides/engine-in-c.md")).unwrap();
    let (_, recipe) = guide.split_once("```sh\nPREFIX=\"$PWD/filters\"\n").unwrap();
    let (recipe, _) = recipe.split_once("```").unwrap();
    run(Command::new("sh")
        .args(["-e", "-u", "-c", recipe])
        .env("CHECKOUT", root)
        .env("PREFIX", prefix)
        .env("CARGO_TARGET_DIR", target()));
}

/// Compiles a program of `examples/` against the installed library.
fn compile(prefix: &Path, compiler: &str, source: &str) -> PathBuf {
    let program = prefix.join(source.replace('.', "-"));
    run(Command::new(compiler)
        .args(["-Wall", "-Wextra", "-Werror", "-O1", "-g"])
        .arg(library_package().join("examples").join(source))
        .arg("-o")
        .arg(&program)
        .arg("-I")
        .arg(prefix.join("include"))
        .arg("-L")
        .arg(prefix.join("lib"))
        .args(["-lfilter_policy_leveldb", "-lleveldb"])
        .arg(format!("-Wl,-rpath,{}", prefix.join("lib").display())));
    program
}

/// Returns a command that runs a program under valgrind, which fails on errors and leaks.
fn valgrind(program: &Path) -> Command {
    let mut command = Command::new("valgrind");
    command
        .args(["--quiet", "--error-exitcode=99", "--leak-check=full"])
        .arg(format!(
            "--suppressions={}",
            Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("tests/valgrind.supp")
                .display()
        ))
        .arg(program);
    command
}

/// Runs a program on a new database, on the same database again, and on a new database under valgrind.
fn check(program: &Path) {
    let folder = tempfile::tempdir().unwrap();
    for _ in 0..2 {
        assert_eq!(run(Command::new(program).arg(folder.path().join("db"))), OUTPUT);
    }
    assert_eq!(run(valgrind(program).arg(folder.path().join("valgrind"))), OUTPUT);

    let without_folder = Command::new(program).output().unwrap();
    assert_eq!(without_folder.status.code(), Some(2));
    let file = folder.path().join("db").join("CURRENT");
    let on_a_file = Command::new(program).arg(file).output().unwrap();
    assert_eq!(on_a_file.status.code(), Some(1));
}

#[test]
fn programs_in_c_and_cpp() {
    let prefix = tempfile::tempdir().unwrap();
    install(prefix.path());
    check(&compile(prefix.path(), "cc", "open_database.c"));
    check(&compile(prefix.path(), "c++", "open_database.cc"));
}

/// Runs the library's own test program, in which each allocation fails in turn; no failure may leak memory.
#[test]
fn failing_allocations_lose_no_memory() {
    let prefix = tempfile::tempdir().unwrap();
    install(prefix.path());
    let program = prefix.path().join("no_memory");
    let wraps = ["malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc"]
        .map(|function| format!("-Wl,--wrap={function}"));
    run(Command::new("cc")
        .arg(library_package().join("tests/c/no_memory.c"))
        .arg("-o")
        .arg(&program)
        .arg("-I")
        .arg(prefix.path().join("include"))
        .arg(prefix.path().join("lib/libfilter_policy_leveldb.a"))
        .args(wraps)
        .args(["-lgcc_s", "-lpthread", "-lm", "-ldl"]));
    run(&mut valgrind(&program));
}
