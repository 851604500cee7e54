//! What a benchmark refuses before it measures.

use super::Workbench;

#[test]
fn other_peoples_folders_are_refused() {
    let bench = Workbench::new();
    bench.write("out/mine.txt", "mine");
    let outcome = bench.run(&["bench", "--out", "out"]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""));
    assert_eq!(
        outcome.stderr,
        "error: out: is not empty and holds no bench.json of ours; choose an empty or new folder\n"
    );
    assert_eq!(bench.read("out/mine.txt"), "mine");
}

#[test]
fn missing_packages_are_named() {
    let bench = Workbench::new();
    for suite in ["point-reads", "policy"] {
        let mut command = bench.command(&["bench", "--suite", suite, "--quick", "--out", "out"]);
        let output = command.env("CXX", bench.path("no-compiler")).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.starts_with("error: missing: "), "{stderr}");
        assert!(
            stderr.ends_with("; run `apt-get install g++ libleveldb-dev`\n"),
            "{stderr}"
        );
        assert!(!bench.path("out").exists());
    }
}

#[test]
fn a_missing_jdk_is_named() {
    let bench = Workbench::new();
    let mut command = bench.command(&["bench", "--suite", "membership", "--out", "out"]);
    let output = command.env("PATH", bench.path("nothing")).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(
        stderr.starts_with(
            "error: missing: java (package default-jre-headless), javac (package default-jdk-headless)"
        ),
        "{stderr}"
    );
    assert!(!bench.path("out").exists());
}

#[test]
fn a_missing_server_is_named() {
    let bench = Workbench::new();
    let mut command = bench.command(&["bench", "--suite", "redis", "--out", "out"]);
    let output = command.env("PATH", bench.path("nothing")).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(
        stderr.starts_with(
            "error: missing: redis-server (package redis-server), redis-benchmark (package redis-tools)"
        ),
        "{stderr}"
    );
    assert!(!bench.path("out").exists());
}

#[test]
fn an_unknown_suite_is_refused_with_those_there_are() {
    let outcome = Workbench::new().run(&["bench", "--suite", "everything"]);
    assert_eq!(outcome.code, 2);
    assert!(
        outcome.stderr.contains(
            "[possible values: point-reads, membership, memory, redis, policy, instructions, rates]"
        ),
        "{}",
        outcome.stderr
    );
}

#[test]
fn records_of_another_suite_are_left_alone() {
    let bench = Workbench::new();
    let marker = "{\"format\": \"membership-bench\", \"schema\": 1}";
    bench.write("out/bench.json", marker);
    let outcome = bench.run(&["bench", "--suite", "policy", "--out", "out"]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""));
    assert_eq!(
        outcome.stderr,
        "error: out: bench.json is not of this version of this benchmark; remove the folder, or choose another\n"
    );
    assert_eq!(bench.read("out/bench.json"), marker);
}

#[test]
fn folders_below_that_hold_something_else_are_refused_before_anything_is_measured() {
    let bench = Workbench::new();
    bench.write("out/rocksdb/mine.txt", "mine");
    bench.write("out/bench.json", "{\"format\": \"policy-bench\", \"schema\": 2}");
    let outcome = bench.run(&["bench", "--suite", "policy", "--out", "out"]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""));
    assert_eq!(
        outcome.stderr,
        "error: out/rocksdb: is not empty and holds no bench.json of ours; choose an empty or new folder\n"
    );
    assert_eq!(bench.read("out/rocksdb/mine.txt"), "mine");
}

#[test]
fn a_missing_valgrind_is_named() {
    let bench = Workbench::new();
    let mut command = bench.command(&["bench", "--suite", "instructions", "--out", "out"]);
    let output = command.env("PATH", bench.path("nothing")).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(
        stderr.starts_with("error: missing: valgrind (package valgrind)"),
        "{stderr}"
    );
    assert!(!bench.path("out").exists());
}
