//! Names in a text.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::process::Stdio;

use super::{check, example, refused, run};

#[test]
fn names_of_several_words_are_found_where_they_stand() {
    let text = "We took the train from \u{201c}New York\n  City\u{201d}, not York, to (Z\u{fc}rich,\n\
        St. John's and Land's End; a nice day: Reading - Bath.\n\nNew\n\nYork. S\u{e3}o Paulo and New";
    check(
        &run(&mut example("place_names"), text.as_bytes()),
        0,
        "1:25\tNew York City\n\
         2:14\tYork\n\
         2:24\tZ\u{fc}rich\n\
         3:1\tSt. John's\n\
         3:16\tLand's End\n\
         3:40\tReading\n\
         3:50\tBath\n\
         7:1\tYork\n\
         7:7\tS\u{e3}o Paulo\n",
        "29 words, 87 windows: the filter denied 78, 9 were looked up, 9 of them are names\n",
    );
}

#[test]
fn own_names_and_those_that_overlap() {
    let folder = tempfile::tempdir().unwrap();
    let names = folder.path().join("names.txt");
    fs::write(
        &names,
        "Alpha\n\n  Beta   Gamma \nAlpha Beta\nGamma Delta Epsilon\n",
    )
    .unwrap();
    check(
        &run(
            example("place_names").arg("--names").arg(&names),
            b"Alpha Beta Gamma Delta\tEpsilon alpha Alpha",
        ),
        0,
        "1:1\tAlpha Beta\n1:12\tGamma Delta Epsilon\n1:38\tAlpha\n",
        "7 words, 6 windows: the filter denied 3, 3 were looked up, 3 of them are names\n",
    );
}

#[test]
fn empty_text_and_empty_list() {
    let none = "0 words, 0 windows: the filter denied 0, 0 were looked up, 0 of them are names\n";
    check(&run(&mut example("place_names"), b""), 0, "", none);
    let folder = tempfile::tempdir().unwrap();
    let names = folder.path().join("names.txt");
    fs::write(&names, "").unwrap();
    check(
        &run(
            example("place_names").arg("--names").arg(&names),
            b"London \n - \n",
        ),
        0,
        "",
        "2 words, 1 windows: the filter denied 1, 0 were looked up, 0 of them are names\n",
    );
}

#[test]
fn what_cannot_be_read_is_named_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file.txt");
    let name = file.display();
    fs::write(&file, b"London\n\xff\n").unwrap();
    let said = refused(&run(example("place_names").arg("--names").arg(&file), b""));
    assert_eq!(said, format!("error: {name}:2: the line is not UTF-8\n"));
    fs::write(&file, b"Oh\nno \xff\n").unwrap();
    let said = refused(&run(example("place_names").arg(&file), b""));
    assert_eq!(said, format!("error: {name}:2: the line is not UTF-8\n"));
}

#[test]
fn it_stops_when_nobody_reads_on() {
    let mut child = example("place_names")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    drop(child.stdout.take().unwrap());
    // A text without an end, until nobody takes it any more.
    let mut text = child.stdin.take().unwrap();
    let piece = "Paris\n\n".repeat(10_000);
    let refused = loop {
        if let Err(error) = text.write_all(piece.as_bytes()) {
            break error;
        }
    };
    assert_eq!(refused.kind(), ErrorKind::BrokenPipe);
    assert!(child.wait().unwrap().success());
}
