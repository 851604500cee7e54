//! The example `url_dedup`: URLs of a crawl.

use std::fs;

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
    let other = "the file exists and is not a filter; choose another name\n";
    for (bytes, says) in [
        (&b""[..], "the length in bytes must be at least 6, got 0\n"),
        (b"important notes", other),
        (&longer[..20], other),
        (&longer, other),
    ] {
        fs::write(&state, bytes).unwrap();
        let said = refused(&run(
            application("url_dedup").arg("--state").arg(&state),
            b"http://a/\n",
        ));
        assert_eq!(said, format!("error: {}: {says}", state.display()));
        assert_eq!(fs::read(&state).unwrap(), bytes);
    }
    let said = refused(&run(
        application("url_dedup").arg("--state").arg(folder.path()),
        b"",
    ));
    assert!(said.contains("this is a folder"), "{said}");

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
fn a_link_stays_a_link_and_permissions_stay() {
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::Path;

    let folder = tempfile::tempdir().unwrap();
    let (state, link) = (folder.path().join("state"), folder.path().join("link"));
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let dedup = |path: &Path| {
        let output = run(application("url_dedup").arg("--state").arg(path), b"http://a/\n");
        assert!(output.status.success(), "{output:?}");
        output.stdout
    };
    dedup(&state);
    fs::set_permissions(&state, fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink(&state, &link).unwrap();
    assert_eq!(dedup(&link), b"");
    assert!(link.is_symlink());
    assert_eq!(mode(&state), 0o640);

    fs::remove_file(&state).unwrap();
    let said = refused(&run(
        application("url_dedup").arg("--state").arg(&link),
        b"http://a/\n",
    ));
    assert!(
        said.starts_with(&format!("error: {}: ", link.display())),
        "{said}"
    );
    assert!(link.is_symlink());
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
    let said = refused(&run(application("url_dedup").arg("no-such-file"), b""));
    assert!(said.starts_with("error: no-such-file: "), "{said}");
}

#[cfg(unix)]
#[test]
fn a_signal_leaves_no_unfinished_file_and_a_pipe_is_no_state() {
    use std::io::{Read as _, Write as _};
    use std::process::{Command, Stdio};

    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    for signal in ["-INT", "-TERM"] {
        let mut child = application("url_dedup")
            .arg("--state")
            .arg(&state)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        // The temporary file is made before anything is read. The output is larger than any buffer.
        let mut input = child.stdin.take().unwrap();
        let url = [&b"http://a.example/"[..], &[b'x'; 40_000], b"\n"].concat();
        input.write_all(&url).unwrap();
        let mut printed = [0; 1000];
        child.stdout.as_mut().unwrap().read_exact(&mut printed).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        let sent = Command::new("kill")
            .args([signal, &child.id().to_string()])
            .status();
        assert!(sent.unwrap().success());
        // Standard input stays open: the program must not wait for it.
        assert_eq!(child.wait().unwrap().code(), Some(130), "{signal}");
        drop(input);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "{signal}");
    }
    assert!(Command::new("mkfifo").arg(&state).status().unwrap().success());
    let said = refused(&run(application("url_dedup").arg("--state").arg(&state), b""));
    assert!(said.contains("must be a regular file"), "{said}");
}
