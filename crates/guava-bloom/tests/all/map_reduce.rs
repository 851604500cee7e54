//! The example `map_reduce` as processes: merges the partial filters of four mappers into the filter of all keys.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;

use guava_bloom::{BloomFilter, Parameters, Strategy, Utf8};

use super::support::example;

const INSERTIONS: usize = 20_000;
const SIZE: [&str; 4] = ["--insertions", "20000", "--fpp", "0.01"];

fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| example::program("map_reduce"))
}

fn start(arguments: &[&str], input: &[u8]) -> Child {
    let mut child = Command::new(program())
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that refuses its arguments reads nothing.
    let _ = child.stdin.take().unwrap().write_all(input);
    child
}

fn run(arguments: &[&str], input: &[u8]) -> Output {
    start(arguments, input).wait_with_output().unwrap()
}

/// Returns the output of a run that must succeed.
fn written(output: Output) -> Vec<u8> {
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    output.stdout
}

/// Returns the message of a run that must find its input wrong.
fn refusal(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8_lossy(&output.stderr);
    text.strip_prefix("error: ").unwrap().to_owned()
}

fn keys() -> Vec<String> {
    let mut keys: Vec<String> = (0..INSERTIONS - 3).map(|number| format!("key{number}")).collect();
    keys.extend([String::new(), "höhe".to_owned(), "长".repeat(100)]);
    keys
}

/// Returns the filter that one process builds from all keys.
fn whole(strategy: Strategy) -> Vec<u8> {
    let parameters = Parameters::new(INSERTIONS as u64, 0.01).unwrap();
    let mut filter = BloomFilter::new(Utf8, &parameters.with_strategy(strategy)).unwrap();
    for key in keys() {
        filter.insert(&key);
    }
    filter.to_bytes()
}

/// Returns the output of four concurrent mappers, each with a quarter of the keys. Line ends are of both kinds.
fn mapped(more: &[&str]) -> Vec<Vec<u8>> {
    let arguments = [&["map"], &SIZE[..], more].concat();
    let keys = keys();
    let mappers: Vec<Child> = keys
        .chunks(INSERTIONS / 4)
        .zip(["\n", "\r\n", "\n", "\r\n"])
        .map(|(keys, end)| start(&arguments, (keys.join(end) + end).as_bytes()))
        .collect();
    mappers
        .into_iter()
        .map(|mapper| written(mapper.wait_with_output().unwrap()))
        .collect()
}

/// Partial filters as files.
struct Files(tempfile::TempDir);

impl Files {
    fn new(contents: &[Vec<u8>]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (number, bytes) in contents.iter().enumerate() {
            fs::write(folder.path().join(number.to_string()), bytes).unwrap();
        }
        Self(folder)
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).into_os_string().into_string().unwrap()
    }

    /// Reduces the first `count` files.
    fn reduce(&self, count: usize, more: &[&str]) -> Output {
        let paths: Vec<String> = (0..count).map(|number| self.path(&number.to_string())).collect();
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        run(&[&["reduce"], more, &paths].concat(), b"")
    }
}

#[test]
fn files_of_four_mappers_become_the_filter_of_the_whole() {
    for (name, strategy) in [
        ("mitz32", Strategy::Murmur128Mitz32),
        ("mitz64", Strategy::Murmur128Mitz64),
    ] {
        let partials = mapped(&["--strategy", name]);
        let whole = whole(strategy);
        assert!(partials.iter().all(|partial| *partial != whole));
        let files = Files::new(&partials);
        let out = files.path("out");
        assert!(written(files.reduce(4, &["--out", &out])).is_empty());
        assert_eq!(fs::read(&out).unwrap(), whole);
        let permissions = |path| fs::metadata(path).unwrap().permissions();
        assert_eq!(permissions(out), permissions(files.path("0")));
        assert_eq!(written(files.reduce(4, &[])), whole);

        // In two stages.
        let stages = Files::new(&[
            written(Files::new(&partials[..3]).reduce(3, &[])),
            partials[3].clone(),
        ]);
        assert_eq!(written(stages.reduce(2, &[])), whole);
    }
}

#[test]
fn lines_through_combiners_become_the_filter_of_the_whole() {
    let whole = whole(Strategy::Murmur128Mitz64);
    let lines = mapped(&["--base64"]);
    for line in &lines {
        assert!(line.starts_with(b"filter\t"));
        assert_eq!(line.iter().position(|&byte| byte == b'\n'), Some(line.len() - 1));
    }
    assert_eq!(written(run(&["reduce"], &lines.concat())), whole);

    let combined: Vec<Vec<u8>> = lines
        .chunks(2)
        .map(|lines| written(run(&["reduce", "--base64"], &lines.concat())))
        .collect();
    // A combiner without input.
    assert!(written(run(&["reduce", "--base64"], b"")).is_empty());
    // Keys of several fields, and a line without a key, which Hadoop takes for a key and ends with a tab.
    let value = |line: &[u8]| line.strip_prefix(b"filter\t").unwrap().trim_ascii_end().to_vec();
    let fields: Vec<u8> = [
        &value(&lines[0])[..],
        b"\t\n",
        &lines[1],
        b"a\t\tb\t",
        &value(&lines[2]),
        b"\t\t\r\n\t\n\t",
        &value(&lines[3]),
        b"\t\r",
    ]
    .concat();
    assert_eq!(written(run(&["reduce"], &fields)), whole);
    // Lines without keys, with empty lines and without the last line end.
    let mut bare: Vec<u8> = combined
        .iter()
        .flat_map(|line| [b"\r\n", line.strip_prefix(b"filter\t").unwrap()].concat())
        .collect();
    bare.pop();
    assert_eq!(written(run(&["reduce"], &bare)), whole);
    // Files give the same line.
    let partials = mapped(&[]);
    assert_eq!(
        written(Files::new(&partials).reduce(4, &["--base64"])),
        written(run(&["reduce", "--base64"], &lines.concat()))
    );
}

#[test]
fn no_key_makes_an_empty_filter_that_changes_nothing() {
    let mut partials = mapped(&[]);
    partials.push(written(run(&[&["map"], &SIZE[..]].concat(), b"")));
    let merged = written(Files::new(&partials).reduce(5, &[]));
    assert_eq!(merged, whole(Strategy::Murmur128Mitz64));
}

#[test]
fn a_line_that_is_no_key_is_named() {
    let arguments = [&["map"], &SIZE[..]].concat();
    let message = refusal(&run(&arguments, b"one\n\xff\xfe\nthree\n"));
    assert!(
        message.starts_with("standard input:2: the line is not UTF-8: invalid utf-8"),
        "{message}"
    );
}

#[test]
fn parameters_without_a_filter_are_refused_with_their_values() {
    for (insertions, fpp, value) in [("-1", "0.5", "-1"), ("5", "1.5", "1.5"), ("5", "NaN", "NaN")] {
        let arguments = ["map", "--insertions", insertions, "--fpp", fpp];
        let message = refusal(&run(&arguments, b""));
        assert!(message.contains(value), "{message}");
    }
}

#[test]
fn partial_files_that_do_not_fit_are_named_and_leave_the_result_alone() {
    let partial = written(run(&[&["map"], &SIZE[..]].concat(), b"apple\n"));
    let other = written(run(&["map", "--insertions", "9", "--fpp", "0.01"], b"apple\n"));
    let cut = partial[..partial.len() - 1].to_vec();
    let two = [&partial[..], &partial[..]].concat();
    for (wrong, reason) in [
        (&other[..], "got strategy ordinal 1, probe count 7, word count 2"),
        (&cut, "the length in bytes must be at least"),
        (&two, "more bytes follow the filter"),
        (b"", "the length in bytes must be at least 6, got 0"),
        (b"not a filter", "the strategy ordinal must be 0 or 1, got 110"),
    ] {
        let files = Files::new(&[partial.clone(), wrong.to_vec()]);
        let out = files.path("out");
        fs::write(&out, &partial).unwrap();
        let message = refusal(&files.reduce(2, &["--out", &out]));
        assert!(
            message.starts_with(&files.path("1")) && message.contains(reason),
            "{message}"
        );
        assert_eq!(fs::read(&out).unwrap(), partial);
        assert_eq!(fs::read_dir(files.0.path()).unwrap().count(), 3);
    }
    let message = refusal(&run(&["reduce", "no such file"], b""));
    assert!(message.starts_with("no such file: "), "{message}");
}

#[test]
fn partial_lines_that_do_not_fit_are_named() {
    let arguments = [&["map"], &SIZE[..], &["--base64"]].concat();
    let line = written(run(&arguments, b"apple\n"));
    let other = written(run(
        &["map", "--insertions", "9", "--fpp", "0.01", "--base64"],
        b"apple\n",
    ));
    // AQcAAAABAAAAAAAVVQA= is a filter of one word.
    for (wrong, reason) in [
        (
            other.as_slice(),
            "the numbers of bits of both filters must be equal, got",
        ),
        (
            b"filter\tAQcAAAABAAAAAAAVVQ==\n",
            "the length in bytes must be at least 14, got 13",
        ),
        (
            b"filter\tAQcAAAABAAAAAAAVVQAA\n",
            "the length in bytes must be 14, got 15",
        ),
        (b"filter\tAQcAAAABAAAAAAAVVQA=\tmore\n", "must be at least 6, got"),
        (b"filter\tAQcAAAABAAAAAAAVVQA=\rmore\n", "Invalid"),
        (b"filter\t\n", "Invalid"),
        (b"filter\tAQcA*AAB\n", "Invalid"),
        (b"filter\tAQcA AAB\n", "Invalid"),
    ] {
        let message = refusal(&run(&["reduce"], &[&line, wrong].concat()));
        assert!(
            message.starts_with("standard input:2: ") && message.contains(reason),
            "{message}"
        );
    }
    let message = refusal(&run(&["reduce"], b""));
    assert!(message.contains("there is no partial filter"), "{message}");
}

#[test]
fn a_carriage_return_without_a_line_feed_is_part_of_the_last_key() {
    let map = |keys: &[u8]| written(run(&[&["map"], &SIZE[..]].concat(), keys));
    let parameters = Parameters::new(INSERTIONS as u64, 0.01).unwrap();
    let mut filter = BloomFilter::new(Utf8, &parameters).unwrap();
    filter.insert("one\r");
    assert_eq!(map(b"one\r"), filter.to_bytes());
    assert_eq!(map(b"one\r\r\n"), filter.to_bytes());
}

#[test]
fn what_is_no_filter_is_not_written_over() {
    let map = [&["map"], &SIZE[..]].concat();
    let files = Files::new(&[written(run(&map, b"apple\n")), b"precious".to_vec()]);
    let message = refusal(&files.reduce(1, &["--out", &files.path("1")]));
    assert!(
        message.contains("1: the file exists and is not a filter"),
        "{message}"
    );
    assert_eq!(fs::read(files.path("1")).unwrap(), b"precious");
}

/// Refuses an endless line under a memory limit.
#[cfg(unix)]
#[test]
fn lines_without_end_do_not_fill_the_memory() {
    for (command, message) in [
        (
            "\"$0\" map --insertions 9 --fpp 0.01 < /dev/zero",
            "is longer than 268435456 bytes",
        ),
        (
            "\"$0\" reduce < /dev/zero",
            "standard input:1: the line is longer than 1073741824 bytes",
        ),
    ] {
        let output = Command::new("sh")
            .args(["-c", &format!("ulimit -v 4000000; {command}")])
            .arg(program())
            .output()
            .unwrap();
        let text = refusal(&output);
        assert!(text.contains(message), "{text}");
    }
}
