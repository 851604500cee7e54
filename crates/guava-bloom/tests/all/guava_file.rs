//! The example `guava_file` as a process: its files, answers and errors.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use guava_bloom::{BloomFilter, Parameters, ProbeCountRule, Strategy, Utf8};
use tempfile::TempDir;

use super::support::example;

fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| example::program("guava_file"))
}

/// Runs the program on this input.
fn run(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(program())
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // Writing fails if the program ends before it has read everything, which is fine: the test checks its output.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

/// Returns the output of a run that must succeed without messages.
fn answers(arguments: &[&str], input: &[u8]) -> String {
    let output = run(arguments, input);
    assert_eq!(
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stderr).as_ref()
        ),
        (Some(0), ""),
        "{arguments:?}"
    );
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the message of a run that must end with this code.
fn message(arguments: &[&str], input: &[u8], code: i32) -> String {
    let output = run(arguments, input);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {text}");
    text
}

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    fn names(&self) -> Vec<String> {
        let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
        fs::read_dir(self.0.path())
            .unwrap()
            .map(|entry| name(entry.unwrap()))
            .collect()
    }
}

#[test]
fn lines_become_the_filter_that_guava_would_write() {
    let folder = Folder::new();
    let (older, newer) = (
        ProbeCountRule::FromBitsPerInsertion,
        ProbeCountRule::FromFalsePositiveRate,
    );
    let cases: [(&[&str], Strategy, ProbeCountRule); 4] = [
        (&[], Strategy::Murmur128Mitz64, newer),
        (&["--strategy", "mitz64"], Strategy::Murmur128Mitz64, newer),
        (&["--strategy", "mitz32"], Strategy::Murmur128Mitz32, newer),
        (&["--guava", "31"], Strategy::Murmur128Mitz64, older),
    ];
    for (number, (options, strategy, rule)) in cases.into_iter().enumerate() {
        let out = folder.path(&format!("{number}.bloom"));
        let build = ["build", "--insertions", "1", "--fpp", "0.01", "--out", &out];
        assert_eq!(answers(&[&build[..], options].concat(), b"key0\n"), "");

        let parameters = Parameters::with_rule(1, 0.01, rule)
            .unwrap()
            .with_strategy(strategy);
        let mut expected = BloomFilter::new(Utf8, &parameters).unwrap();
        expected.insert("key0");
        assert_eq!(fs::read(&out).unwrap(), expected.to_bytes(), "{options:?}");
        assert_eq!(answers(&["query", &out], b"key0\nkey1\n"), "true\nfalse\n");
    }
    assert_eq!(folder.names().len(), 4, "{:?}", folder.names());
}

#[test]
fn line_ends_are_not_part_of_the_key() {
    let folder = Folder::new();
    let out = folder.path("keys");
    let build = ["build", "--insertions", "100", "--fpp", "1e-9", "--out", &out];
    answers(&build, "one\ntwo\r\n\n\r\r\nfünf\nlast".as_bytes());
    let query = |input: &str| answers(&["query", &out], input.as_bytes());
    assert_eq!(query(""), "");
    assert_eq!(query("one"), "true\n");
    assert_eq!(query("one\r\ntwo\n\n\r\nfünf\r\nlast\n"), "true\n".repeat(6));
    assert_eq!(query("\r\r\n"), "true\n");
    // A carriage return without a line feed is a character.
    assert_eq!(query("three\ntwo\r"), "false\nfalse\n");

    let empty = folder.path("empty");
    answers(
        &["build", "--insertions", "0", "--fpp", "0.03", "--out", &empty],
        b"",
    );
    assert_eq!(fs::read(&empty).unwrap().len(), 14);
    assert_eq!(answers(&["query", &empty], b"\none\n"), "false\nfalse\n");
}

#[test]
fn many_lines_have_as_many_answers() {
    let folder = Folder::new();
    let out = folder.path("many");
    let numbers = |range: std::ops::Range<u32>| -> String { range.map(|i| format!("{i}\n")).collect() };
    answers(
        &["build", "--insertions", "200000", "--fpp", "1e-6", "--out", &out],
        numbers(0..200_000).as_bytes(),
    );
    let found = answers(&["query", &out], numbers(100_000..300_000).as_bytes());
    let found: Vec<&str> = found.lines().collect();
    assert_eq!(found.len(), 200_000);
    assert!(found[..100_000].iter().all(|&answer| answer == "true"));
    assert!(
        found[100_000..]
            .iter()
            .filter(|&&answer| answer == "true")
            .count()
            < 5
    );

    let long = format!("{}\n", "long".repeat(500_000));
    assert_eq!(answers(&["query", &out], long.as_bytes()), "false\n");
}

#[test]
fn a_line_that_is_not_utf_8_is_named() {
    let folder = Folder::new();
    let out = folder.path("out");
    let build = ["build", "--insertions", "10", "--fpp", "0.01", "--out", &out];
    let text = message(&build, b"good\n\nbad \xff\nmore\n", 2);
    assert_eq!(
        text,
        "error: standard input:3: the line is not UTF-8: invalid utf-8 sequence of 1 bytes from index 4\n"
    );
    assert_eq!(folder.names(), [""; 0], "nothing is left behind");

    answers(&build, b"good\n");
    let output = run(&["query", &out], b"good\n\xc3");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(output.stdout, b"true\n");
    assert!(
        String::from_utf8(output.stderr)
            .unwrap()
            .starts_with("error: standard input:2: the line is not UTF-8")
    );
}

#[test]
fn wrong_arguments_are_said_and_end_with_2() {
    let folder = Folder::new();
    let out = folder.path("out");
    let with = |insertions: &str, fpp: &str| {
        let build = ["build", "--insertions", insertions, "--fpp", fpp, "--out", &out];
        let text = message(&build, b"", 2);
        assert_eq!(folder.names(), [""; 0]);
        text
    };
    assert!(with("-1", "0.01").starts_with("error: invalid value '-1' for '--insertions <INSERTIONS>'"));
    assert!(
        with("9223372036854775808", "0.01")
            .ends_with("must be between 0 and 9223372036854775807, got 9223372036854775808\n")
    );
    for fpp in ["0.0", "1.0", "-0.5", "1.5", "NaN", "inf"] {
        assert!(
            with("10", fpp).starts_with(&format!(
                "error: the false-positive rate must be above 0 and below 1, got {fpp}"
            )),
            "{fpp}"
        );
    }
    assert!(with("10", "1e-300").contains("the probe count must be between 1 and 255, got 997"));
    assert!(
        with("100000000000", "0.01")
            .contains("the number of bits must be at most 137438953408, got 958505837736")
    );
    assert!(with("1", "0.99").contains("the number of bits must be at least 1, got 0"));
    assert!(with("ten", "0.01").contains("ten"));
    assert!(message(&["build", "--fpp", "0.01", "--out", &out], b"", 2).contains("--insertions"));
    assert!(message(&["query"], b"", 2).contains("<FILE>"));
    assert!(message(&[], b"", 2).contains("Usage"));
}

#[test]
fn filters_and_empty_files_are_replaced_and_nothing_else() {
    let folder = Folder::new();
    let out = folder.path("out");
    let build = ["build", "--insertions", "10", "--fpp", "0.01", "--out", &out];
    answers(&build, b"one\n");
    answers(&build, b"two\n");
    assert_eq!(answers(&["query", &out], b"one\ntwo\n"), "false\ntrue\n");
    fs::write(&out, "").unwrap();
    answers(&build, b"one\n");
    assert_eq!(answers(&["query", &out], b"one\ntwo\n"), "true\nfalse\n");
    assert_eq!(folder.names(), ["out"]);

    // Keys, a filter with a trailing byte, and a truncated filter.
    let filter = fs::read(&out).unwrap();
    for precious in [
        b"precious",
        &[&filter[..], b"\n"].concat()[..],
        &filter[..filter.len() - 1],
    ] {
        fs::write(&out, precious).unwrap();
        let text = message(&build, b"key\n", 2);
        assert!(
            text.contains("out: the file exists and is not a filter"),
            "{text}"
        );
        assert_eq!(fs::read(&out).unwrap(), precious);
    }
    let text = message(
        &["build", "--insertions", "10", "--out", &folder.path("")],
        b"",
        2,
    );
    assert!(text.contains("this is a folder"), "{text}");
    let nowhere = folder.path("missing/out");
    let text = message(&["build", "--insertions", "10", "--out", &nowhere], b"", 2);
    assert!(text.contains(&nowhere), "{text}");
    assert_eq!(folder.names(), ["out"]);
}

#[cfg(unix)]
#[test]
fn links_pipes_and_permissions_stay_what_they_are() {
    use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _, symlink};

    let folder = Folder::new();
    let (out, link) = (folder.path("out"), folder.path("link"));
    let build_at = |out: &str| answers(&["build", "--insertions", "10", "--out", out], b"key\n");
    symlink("out", &link).unwrap();
    let text = message(&["build", "--insertions", "10", "--out", &link], b"", 2);
    assert!(text.starts_with(&format!("error: {link}: ")), "{text}");

    build_at(&out);
    let expected = fs::read(&out).unwrap();
    fs::write(&out, "").unwrap();
    fs::set_permissions(&out, fs::Permissions::from_mode(0o640)).unwrap();
    build_at(&link);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read(&out).unwrap(), expected);
    assert_eq!(fs::metadata(&out).unwrap().permissions().mode() & 0o777, 0o640);

    let pipe = folder.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::read(pipe).unwrap()
    });
    build_at(&pipe);
    assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
    assert_eq!(reader.join().unwrap(), expected);
}

#[test]
fn files_that_are_no_filter_are_said() {
    let folder = Folder::new();
    let file = folder.path("file");
    let query = |bytes: &[u8]| {
        fs::write(&file, bytes).unwrap();
        let text = message(&["query", &file], b"key\n", 2);
        text.strip_prefix(&format!("error: {file}: ")).unwrap().to_owned()
    };
    assert_eq!(query(b""), "the length in bytes must be at least 6, got 0\n");
    assert_eq!(
        query(b"\x01\x05\0\0\0\x02\0\0\0"),
        "the length in bytes must be at least 22, got 9\n"
    );
    assert!(
        query(b"hello, world")
            .starts_with("the strategy ordinal must be 0 or 1, got 104 (header: strategy ordinal 104")
    );
    assert!(query(b"\x01\x05\x7f\xff\xff\xff").contains("at least 17179869182, got 6"));

    let missing = folder.path("missing");
    assert!(message(&["query", &missing], b"", 2).starts_with(&format!("error: {missing}: ")));
    let itself = folder.path("");
    assert!(message(&["query", &itself], b"", 2).starts_with(&format!("error: {itself}: ")));

    // Guava reads a filter with trailing bytes. So does the program, with a note.
    fs::write(&file, b"\x01\x05\0\0\0\x01\0\0\0\0\0\0\0\0more").unwrap();
    let output = run(&["query", &file], b"key\n");
    assert_eq!(
        (output.status.code(), output.stdout.as_slice()),
        (Some(0), &b"false\n"[..])
    );
    assert!(String::from_utf8(output.stderr).unwrap().starts_with("note: "));
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let folder = Folder::new();
    let out = folder.path("out");
    answers(
        &["build", "--insertions", "10", "--fpp", "0.01", "--out", &out],
        b"key\n",
    );
    let mut child = Command::new(program())
        .args(["query", &out])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    // Writing may fail once the program has ended.
    let _ = stdin.write_all("key\n".repeat(100_000).as_bytes());
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        (output.status.code(), output.stderr.as_slice()),
        (Some(0), &b""[..])
    );
}

/// Limits the memory, because the allocation might succeed otherwise.
#[cfg(unix)]
#[test]
fn memory_that_is_not_there_is_said() {
    let folder = Folder::new();
    let output = Command::new("sh")
        .args([
            "-c",
            "ulimit -v 1000000 && exec \"$0\" build --insertions 10000000000 --fpp 0.01 --out \"$1\"",
        ])
        .arg(program())
        .arg(folder.path("out"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        text,
        "error: out of memory: the allocator refused 11981322976 bytes\n"
    );
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(folder.names(), [""; 0]);
}

/// Under a limit of 100 MB, refuses ten bytes that claim 16 GiB, and endless words when the memory is full.
#[cfg(unix)]
#[test]
fn memory_is_taken_as_bytes_arrive() {
    let folder = Folder::new();
    let (short, long) = (folder.path("short"), folder.path("long"));
    fs::write(&short, b"\x01\x05\x7f\xff\xff\xffword").unwrap();
    assert!(Command::new("mkfifo").arg(&long).status().unwrap().success());
    let limited = |command: &str| {
        let output = Command::new("sh")
            .args(["-c", &format!("ulimit -v 100000; {command}")])
            .arg(program())
            .args([&short, &long])
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stderr).unwrap()
    };
    let text = limited("exec \"$0\" query \"$1\"");
    assert!(text.contains("at least 17179869182, got 10"), "{text}");
    let text = limited("(head -c 6 \"$1\"; cat /dev/zero) > \"$2\" & exec \"$0\" query \"$2\"");
    assert!(text.contains("out of memory: the allocator refused "), "{text}");
}
