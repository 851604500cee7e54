//! The example `url_dedup`: URLs of a crawl.

use std::fs;
#[cfg(unix)]
use std::process::{Command, Stdio};

use guava_bloom::{BloomFilter, Parameters, Utf8};

use super::{application, check, refused, run};

#[test]
fn new_urls_are_printed_once_over_all_runs() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("seen.bloom");
    let urls = folder.path().join("urls.txt");
    fs::write(
        &urls,
        "http://a.example/\nhttp://b.example/\nhttp://a.example/\nHTTP://A.example/\n",
    )
    .unwrap();
    let mut dedup = application("url_dedup");
    dedup.arg("--state").arg(&state).arg(&urls);
    dedup.args(["--insertions", "100", "--fpp", "0.01"]);
    check(
        &run(&mut dedup, b""),
        0,
        "http://a.example/\nhttp://b.example/\nHTTP://A.example/\n",
        "new 3, seen before 1; false-positive rate now 0.000 %\n",
    );

    // The state determines the size. The line end is not part of the URL.
    let mut dedup = application("url_dedup");
    dedup.arg("--state").arg(&state);
    check(
        &run(
            &mut dedup,
            b"http://c.example/\r\n\nhttp://b.example/\r\nhttp://c.example/",
        ),
        0,
        "http://c.example/\n",
        "new 1, seen before 2; false-positive rate now 0.000 %\nempty lines: 1\n",
    );

    let mut expected = BloomFilter::new(Utf8, &Parameters::new(100, 0.01).unwrap()).unwrap();
    for url in [
        "http://a.example/",
        "http://b.example/",
        "HTTP://A.example/",
        "http://c.example/",
    ] {
        expected.insert(url);
    }
    assert_eq!(fs::read(&state).unwrap(), expected.to_bytes());
    // No temporary file is left.
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn an_overfull_filter_is_reported() {
    let urls: String = (0..100).map(|i| format!("http://example.com/{i}\n")).collect();
    let output = run(
        application("url_dedup").args(["--insertions", "40", "--fpp", "0.1"]),
        urls.as_bytes(),
    );
    let stderr = String::from_utf8(output.stderr).unwrap();
    let new = output.stdout.split(|&byte| byte == b'\n').count() - 1;
    // Every URL is unique, so each one that is not reported as new was dropped by mistake.
    let dropped = 100 - new;
    let (counts, warning) = stderr.split_once('\n').unwrap();
    assert!(
        counts.starts_with(&format!("new {new}, seen before {dropped}; ")),
        "{counts}"
    );
    assert!(dropped > 8, "{dropped}");
    assert!(
        warning.starts_with("the filter holds more than it was made for"),
        "{warning}"
    );
}

#[test]
fn what_is_no_state_is_never_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let filter = BloomFilter::new(Utf8, &Parameters::new(100, 0.01).unwrap()).unwrap();
    let longer = [filter.to_bytes(), vec![0]].concat();
    for (bytes, says) in [
        (&b""[..], "the length in bytes must be at least 6, got 0\n"),
        (b"important notes", "the strategy ordinal must be 0 or 1, got 105"),
        (
            &longer[..20],
            "the length in bytes must be at least 126, got 20\n",
        ),
        (&longer, "more bytes follow the filter\n"),
    ] {
        fs::write(&state, bytes).unwrap();
        let said = refused(&run(
            application("url_dedup").arg("--state").arg(&state),
            b"http://a/\n",
        ));
        let expected = format!("error: {}: {says}", state.display());
        assert!(said.starts_with(&expected), "{said}");
        assert_eq!(fs::read(&state).unwrap(), bytes);
    }
    let said = refused(&run(
        application("url_dedup").arg("--state").arg(folder.path()),
        b"",
    ));
    assert!(said.contains("must be a regular file"), "{said}");

    fs::write(&state, filter.to_bytes()).unwrap();
    let said = refused(&run(
        application("url_dedup")
            .args(["--fpp", "0.5", "--state"])
            .arg(&state),
        b"http://a/\n",
    ));
    assert!(
        said.starts_with(
            "error: 1000000 insertions at 0.5 give 1442752 bits and 1 probes, the state has 960 and 7"
        ),
        "{said}"
    );
    assert_eq!(fs::read(&state).unwrap(), filter.to_bytes());
}

#[test]
fn a_run_that_fails_leaves_the_state_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let input = [&b"http://a/\n"[..], &vec![b'x'; 70_000]].concat();
    let output = run(application("url_dedup").arg("--state").arg(&state), &input);
    check(
        &output,
        2,
        "http://a/\n",
        "error: standard input:2: the line is longer than 65536 bytes\n",
    );
    assert!(!state.exists());
}

#[cfg(unix)]
#[test]
fn a_link_to_nothing_and_a_pipe_are_no_states() {
    let folder = tempfile::tempdir().unwrap();
    let (link, pipe) = (folder.path().join("link"), folder.path().join("pipe"));
    std::os::unix::fs::symlink("missing", &link).unwrap();
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for (state, says) in [(&link, ""), (&pipe, "the state must be a regular file\n")] {
        let said = refused(&run(
            application("url_dedup").arg("--state").arg(state),
            b"http://a/\n",
        ));
        let expected = format!("error: {}: {says}", state.display());
        assert!(said.starts_with(&expected), "{said}");
    }
    assert!(link.is_symlink());
}

/// Runs the program with this much address space, in KiB.
#[cfg(unix)]
fn limited(kibibytes: usize, arguments: &[&str]) -> String {
    let output = Command::new("sh")
        .args(["-c", &format!("ulimit -v {kibibytes}; exec \"$0\" \"$@\"")])
        .arg(application("url_dedup").get_program())
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    refused(&output)
}

/// Limits the memory, because the allocation might succeed otherwise.
#[cfg(unix)]
#[test]
fn memory_that_is_not_there_is_said() {
    assert_eq!(
        limited(1_000_000, &["--insertions", "10000000000", "--fpp", "0.01"]),
        "error: out of memory: the allocator refused 11981322976 bytes\n"
    );
}

/// Under a limit of 100 MB, refuses ten bytes that claim 16 GiB, and a gigabyte of words when the memory is full.
#[cfg(unix)]
#[test]
fn memory_is_taken_as_bytes_arrive() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let arguments = ["--state", state.to_str().unwrap()];
    fs::write(&state, b"\x01\x05\x7f\xff\xff\xffword").unwrap();
    let said = limited(100_000, &arguments);
    assert!(said.contains("at least 17179869182, got 10"), "{said}");
    let file = fs::File::options().write(true).open(&state).unwrap();
    file.set_len(1 << 30).unwrap();
    let said = limited(100_000, &arguments);
    assert!(said.contains("out of memory: the allocator refused "), "{said}");
}

#[test]
fn wrong_arguments_are_named() {
    let said = refused(&run(application("url_dedup").args(["--fpp", "1.5"]), b""));
    assert!(said.contains("1.5"), "{said}");
    let said = refused(&run(application("url_dedup").args(["--insertions", "-1"]), b""));
    assert!(
        said.starts_with("error: invalid value '-1' for '--insertions <N>'"),
        "{said}"
    );
    let said = refused(&run(application("url_dedup").args(["--insertions", "many"]), b""));
    assert!(said.contains("many"), "{said}");
    let said = refused(&run(application("url_dedup").args(["--fpp", "1e-300"]), b""));
    assert!(
        said.contains("the probe count must be between 1 and 255, got 997"),
        "{said}"
    );
    let said = refused(&run(application("url_dedup").arg("no-such-file"), b""));
    assert!(said.starts_with("error: no-such-file: "), "{said}");
}
