//! The example `dedup`: its answers, the keys that it leaves on the server, and its errors.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;

use super::{start, text};
use crate::support::{Server, golden};

/// Returns the program's arguments, given as words.
fn words<'a>(url: &'a str, arguments: &'a str) -> Vec<&'a str> {
    ["--redis", url].into_iter().chain(arguments.split(' ')).collect()
}

fn answers(url: &str, arguments: &str, input: &[u8]) -> String {
    super::printed("dedup", &words(url, arguments), input)
}

fn refused(url: &str, arguments: &str, input: &[u8]) -> (i32, String) {
    super::refused("dedup", &words(url, arguments), input)
}

const SMALL: &str = "--key f --capacity 3000 --fpp 0.03";

#[test]
fn long_input_is_answered_line_by_line() {
    let server = Server::start(&[]);
    let mut input: Vec<u8> = (0..1_500)
        .flat_map(|line| format!("key {}\n", line % 1_250).into_bytes())
        .collect();
    // The last line is longer than a read.
    input.resize(input.len() + (1 << 20), b'x');
    let answers = answers(&server.url(), "--key long --capacity 1500 --fpp 0.000001", &input);
    let new = |count| "new\n".repeat(count);
    assert!(answers == [new(1_250), "seen\n".repeat(250), new(1)].concat());
}

#[test]
fn nobody_who_reads_is_no_failure() {
    let server = Server::start(&[]);
    let mut child = start("dedup", &words(&server.url(), SMALL));
    drop(child.stdout.take());
    child.stdin.take().unwrap().write_all(b"a\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
}

#[test]
fn every_line_is_answered_in_order() {
    let server = Server::start(&[]);
    let url = server.url();
    assert_eq!(
        answers(&url, SMALL, b"a\nb\na\n\r\nc\r\n\nd"),
        "new\nnew\nseen\nnew\nnew\nseen\nnew\n"
    );
    // A carriage return without a line end is part of the key.
    assert_eq!(answers(&url, SMALL, b"d\nc\n\nc\r"), "seen\nseen\nseen\nnew\n");
    assert_eq!(answers(&url, SMALL, b""), "");
    assert_eq!(
        answers(&url, SMALL, b"\xff\n\xc3\xa9\n\xff\n"),
        "new\nnew\nseen\n"
    );
    // The bitmap of another name is the published one, with a mark behind it.
    let name = "topic_read:8839540:20190609";
    let keys = b"76930242\n76930243\n76930244\n76930245\n76930246\n";
    let arguments = format!("--key {name} --capacity 3000 --fpp 0.03");
    assert_eq!(answers(&url, &arguments, keys), "new\n".repeat(5));
    let bitmap: Vec<u8> = server.words(&["GET", &format!("bf:{name}")]);
    let published = golden("fixed.json");
    assert!(hex::encode(bitmap).starts_with(published["value_hex"].as_str().unwrap()));
    assert_eq!(server.words::<i64>(&["PTTL", &format!("bf:{name}")]), -1);
}

#[test]
fn the_time_to_live_begins_anew_with_every_insert() {
    let server = Server::start(&[]);
    let mut connection = server.connection();
    for (seconds, least) in [(100, 90_000), (1_000, 900_000)] {
        answers(&server.url(), &format!("{SMALL} --ttl {seconds}"), b"a\n");
        let left: i64 = redis::cmd("PTTL").arg("bf:f").query(&mut connection).unwrap();
        assert!(left > least && left <= seconds * 1_000, "{left}");
    }
}

#[test]
fn arguments_that_are_wrong_are_named() {
    let server = Server::start(&[]);
    for (arguments, part) in [
        ("--key f --capacity 0 --fpp 0.03", "insertion"),
        ("--key f --capacity 10 --fpp 1", "1"),
        ("--key f --capacity 10 --fpp NaN", "NaN"),
        ("--key f --capacity 1000000000 --fpp 0.001", "bits"),
        ("--key f --capacity -1 --fpp 0.03", "capacity"),
        ("--key f --capacity 10 --fpp 0.03 --ttl 0", "time to live"),
        ("--key f --capacity 10", "--fpp"),
    ] {
        let (code, message) = refused(&server.url(), arguments, b"a\n");
        assert_eq!(code, 2, "{arguments}: {message}");
        assert!(message.contains(part), "{arguments}: {message}");
    }
    for url in ["http://127.0.0.1/", "redis://", "redis://127.0.0.1:port"] {
        let (code, message) = refused(url, SMALL, b"a\n");
        assert_eq!(code, 2, "{url}: {message}");
        assert!(message.starts_with("error: --redis: "), "{url}: {message}");
    }
}

#[test]
fn a_key_of_something_else_is_left_alone() {
    let server = Server::start(&[]);
    server.words::<()>(&["RPUSH", "bf:list", "a"]);
    server.words::<()>(&["SETBIT", "bf:longer", "30000", "1"]);
    for (key, part) in [("list", "WRONGTYPE"), ("longer", "must end with the mark")] {
        let arguments = format!("--key {key} --capacity 3000 --fpp 0.03");
        let (code, message) = refused(&server.url(), &arguments, b"a\n");
        assert_eq!(code, 2, "{key}: {message}");
        assert!(message.contains(part), "{key}: {message}");
    }
    assert_eq!(server.words::<u64>(&["LLEN", "bf:list"]), 1);
    assert_eq!(server.words::<u64>(&["BITCOUNT", "bf:longer"]), 1);
}

#[test]
fn a_server_that_is_not_there_is_said_so() {
    // This port is free again, and not the next one that the system hands out.
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let url = format!("redis://user:secret@127.0.0.1:{port}/");
    let (code, message) = refused(&url, SMALL, b"a\n");
    assert_eq!(code, 1, "{message}");
    let text = format!("error: 127.0.0.1:{port}: ");
    assert!(message.starts_with(&text), "{message}");
    assert!(!message.contains("secret"), "{message}");
}

/// The program ends with an error once the server is gone.
#[test]
fn a_line_is_answered_before_the_next_one_comes() {
    let mut server = Server::start(&[]);
    let mut child = start("dedup", &words(&server.url(), SMALL));
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    for (line, expected) in [("a\n", "new\n"), ("b\n", "new\n"), ("a\n", "seen\n")] {
        stdin.write_all(line.as_bytes()).unwrap();
        let mut answer = String::new();
        stdout.read_line(&mut answer).unwrap();
        assert_eq!(answer, expected);
    }
    server.kill();
    stdin.write_all(b"c\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let message = text(&output.stderr);
    assert!(
        message.starts_with(&format!("error: 127.0.0.1:{}: ", server.port())),
        "{message}"
    );
}
