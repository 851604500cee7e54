//! Keys in every form, whole and damaged.

use std::io::{self, Read, Write as _};
use std::path::PathBuf;
use std::sync::Mutex;

use clap::Parser as _;
use flate2::Compression;
use flate2::write::GzEncoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use terminal::failure::Failure;
use terminal::progress::Progress;

use crate::{Batch, Delimiter, KeyForm, KeyKind, Keys, sources};

/// Collects notes.
#[derive(Default)]
struct Notes(Mutex<Vec<String>>);

impl Progress for Notes {
    fn note(&self, sentence: &str) {
        self.0.lock().unwrap().push(sentence.to_owned());
    }
}

/// A source that gives few bytes at a time, as pipes may.
struct Slow<'a>(&'a [u8], usize);

impl Read for Slow<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = buffer.len().min(self.1);
        self.0.read(&mut buffer[..most])
    }
}

/// A pipe that stays open, after what was written into it.
struct Open<'a>(&'a [u8]);

impl Read for Open<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        assert!(!self.0.is_empty(), "waits for more");
        self.0.read(buffer)
    }
}

const LIMIT: u64 = 1 << 21;

/// The keys with the notes, or the message.
type Outcome = Result<(Vec<Vec<u8>>, String), String>;

/// Reads all keys if so many bytes come at a time. Batches give the same.
fn read_slowly(data: &[u8], form: &KeyForm, at_a_time: usize) -> Outcome {
    let outcome = read_in_batches(data, form, at_a_time, 0);
    for size in [1, 40, 100, 1 << 17] {
        assert_eq!(read_in_batches(data, form, at_a_time, size), outcome, "{size}");
    }
    outcome
}

/// Reads all keys in batches of so many bytes; 0 for one after the other.
fn read_in_batches(data: &[u8], form: &KeyForm, at_a_time: usize, size: usize) -> Outcome {
    let notes = Notes::default();
    let keys = (|| {
        let mut source = Keys::of("SOURCE", Slow(data, at_a_time), form, LIMIT, &notes)?;
        let (mut keys, mut batch) = (Vec::new(), Batch::new(size));
        while let Some(key) = source.next_key()? {
            batch.push(key);
            if size > 0 {
                let [bytes, first] = [batch.bytes.len(), batch.len()];
                source.add_lines(&mut batch);
                // The key before may be long; the last of these may make the batch full.
                let [added, places] = [
                    batch.bytes.len() - bytes,
                    size_of::<[usize; 2]>() * (batch.len() - first),
                ];
                assert!(added <= size && places < size + size_of::<[usize; 2]>());
            }
            if batch.is_full() {
                keys.extend(batch.iter().map(<[u8]>::to_vec));
                batch.clear();
            }
        }
        keys.extend(batch.iter().map(<[u8]>::to_vec));
        Ok::<_, Failure>(keys)
    })();
    let notes = notes.0.into_inner().unwrap().join("\n");
    keys.map(|keys| (keys, notes))
        .map_err(|failure| failure.to_string())
}

fn read(data: &[u8], form: &KeyForm) -> Outcome {
    read_slowly(data, form, usize::MAX)
}

#[track_caller]
fn gives<K: AsRef<[u8]>>(data: &[u8], form: &KeyForm, expected: &[K], notes: &str) {
    for at_a_time in [usize::MAX, 5, 1] {
        let (keys, noted) = read_slowly(data, form, at_a_time).unwrap();
        assert!(
            keys.iter().eq(expected.iter().map(AsRef::as_ref)) && noted == notes,
            "{at_a_time}: {noted}: {keys:.80?}"
        );
        if data.len() > 10_000 {
            break;
        }
    }
}

#[track_caller]
fn refused(data: &[u8], form: &KeyForm, texts: &[impl AsRef<str>]) {
    let message = read(data, form).unwrap_err();
    assert!(message.starts_with("SOURCE"), "{message}");
    assert!(
        texts.iter().all(|text| message.contains(text.as_ref())),
        "{message}"
    );
}

fn lines() -> KeyForm {
    KeyForm::default()
}

fn column(name: &str) -> KeyForm {
    KeyForm {
        column: Some(name.to_owned()),
        ..lines()
    }
}

fn gzip(data: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

fn zstd(data: &[u8]) -> Vec<u8> {
    compress_to_vec(data, CompressionLevel::Fastest)
}

const GZIP: &str = "SOURCE: compressed by gzip, read as its contents";
const ZSTD: &str = "SOURCE: compressed by Zstandard, read as its contents";

/// Returns the bytes of a text of `forms.txt`.
fn bytes(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.strip_prefix('∅').unwrap_or(text);
    while let Some((plain, escape)) = rest.split_once('\\') {
        bytes.extend(plain.as_bytes());
        let (byte, len) = match &escape[..1] {
            "n" => (b'\n', 1),
            "r" => (b'\r', 1),
            "t" => (b'\t', 1),
            "0" => (0, 1),
            "x" => (u8::from_str_radix(&escape[1..3], 16).unwrap(), 3),
            other => (other.as_bytes()[0], 1),
        };
        bytes.push(byte);
        rest = &escape[len..];
    }
    bytes.extend(rest.as_bytes());
    bytes
}

#[test]
fn forms_give_keys_or_are_refused() {
    #[derive(clap::Parser)]
    struct Options {
        #[command(flatten)]
        form: KeyForm,
    }
    let text = |text: &str| String::from_utf8(bytes(text)).unwrap();
    let lines = include_str!("tests/forms.txt").lines();
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (options, case) = line.split_once("< ").unwrap();
        let options = ["program".to_owned()]
            .into_iter()
            .chain(options.split_whitespace().map(text));
        let form = Options::parse_from(options).form;
        if let Some((data, parts)) = case.split_once(" ! ") {
            let parts: Vec<String> = parts.split(" | ").map(text).collect();
            refused(&bytes(data), &form, &parts);
        } else {
            let (data, keys) = case.split_once(" = ").unwrap();
            let (keys, note) = keys.split_once(" (").unwrap_or((keys, ")"));
            let note = text(note.strip_suffix(')').unwrap());
            let note = if note.is_empty() {
                note
            } else {
                format!("SOURCE: {note}")
            };
            let keys: Vec<_> = keys.split(" | ").map(bytes).collect();
            gives(&bytes(data), &form, &keys, &note);
        }
    }
}

#[test]
fn long_keys_and_names_of_columns() {
    let null = KeyForm {
        null: true,
        ..lines()
    };
    let none: [&[u8]; 0] = [];
    gives(b"", &lines(), &none, "");
    let letters = b"a\0".repeat(3_000);
    assert_eq!(read(&letters, &null).unwrap().0.len(), 3_000);
    let long = vec![b'x'; LIMIT as usize];
    let two = [&long[..], b"\r\ny"].concat();
    let dropped = "SOURCE: 1 carriage return before a line feed belongs to no key";
    gives(&two, &lines(), &[&long[..], b"y"], dropped);
    let open = [b"a\n\"", &b"x\n".repeat(LIMIT as usize)[..]].concat();
    for (data, form) in [
        ([b"y\n", &long[..], b"xxx"].concat(), lines()),
        (open, column("a")),
    ] {
        refused(&data, &form, &["SOURCE, line 2: must have at most 2097152 bytes"]);
    }
    let names = vec![b','; LIMIT as usize];
    refused(
        &names,
        &column("a"),
        &["the names of columns must have at most 1 MiB"],
    );
    let notes = Notes::default();
    let mut named = Keys::of("users.CSV.gz", &b"name,id\n"[..], &lines(), LIMIT, &notes).unwrap();
    assert_eq!(named.next_key().unwrap(), Some(&b"name,id"[..]));
    assert_eq!(named.next_key().unwrap(), None);
    let text = "users.CSV.gz: each line is a key; --column takes the keys of one column";
    assert_eq!(*notes.0.lock().unwrap(), [text]);
}

#[test]
fn the_name_or_the_first_row_or_an_option_decides_the_delimiter() {
    let both = &b"\n\na\tb,1\nc,2\n"[..];
    let given = KeyForm {
        delimiter: Some(Delimiter::Tab),
        ..column("1")
    };
    type Case = (&'static str, &'static [u8], KeyForm, [&'static [u8]; 2]);
    let cases: [Case; 5] = [
        ("keys.csv", both, column("1"), [b"a\tb", b"c"]),
        ("KEYS.CSV.GZ", both, column("1"), [b"a\tb", b"c"]),
        ("keys.tsv.zst", both, column("1"), [b"a", b"c,2"]),
        ("keys.csv", both, given, [b"a", b"c,2"]),
        ("keys.tsv", b"\"a\"\nc\n", column("1"), [b"\"a\"", b"c"]),
    ];
    for (name, data, form, expected) in cases {
        let notes = Notes::default();
        let mut found = Vec::new();
        let mut keys = Keys::of(name, data, &form, LIMIT, &notes).unwrap();
        keys.next_batch(9, &mut found).unwrap();
        assert_eq!(found, expected, "{name}");
        assert_eq!(*notes.0.lock().unwrap(), [""; 0], "{name}");
    }
    for (name, row, other) in [
        ("keys", "id;n", "semicolon"),
        ("keys.csv", "id|n", "pipe"),
        ("keys.csv", "id\tn", "tab"),
        ("keys.tsv", "id,n", "comma"),
    ] {
        let rows = format!("{row}\n{row}\n");
        let how = format!("its first row has one column, which --delimiter {other} would split");
        let read = |wanted: &str| {
            let notes = Notes::default();
            let key = Keys::of(name, rows.as_bytes(), &column(wanted), LIMIT, &notes)
                .and_then(|mut keys| keys.next_key().map(|key| key.unwrap().to_vec()))
                .map_err(|failure| failure.to_string());
            (key, notes.0.into_inner().unwrap())
        };
        assert_eq!(read("1"), (Ok(row.into()), vec![format!("{name}: {how}")]));
        let none = format!("{name}: no column is called \"n\"; there are {row}; {how}");
        assert_eq!(read("n"), (Err(none), Vec::new()));
        let few = format!("{name}, line 1: must have at least 2 columns, got 1; {how}");
        assert_eq!(read("2"), (Err(few), Vec::new()));
    }
    let notes = Notes::default();
    let failure = Keys::of("keys.csv.txt", both, &column("1"), LIMIT, &notes);
    let expected =
        "keys.csv.txt: its first row has commas and tabs: give --delimiter comma or --delimiter tab";
    assert_eq!(failure.err().unwrap().to_string(), expected);
}

#[test]
fn a_batch_waits_for_nothing_and_is_bounded() {
    let notes = Notes::default();
    let null = KeyForm {
        null: true,
        ..lines()
    };
    let cases: [(&[u8], KeyForm, &[u8]); 8] = [
        (b"key-1\r\n", lines(), b"key-1"),
        (b"key-1\n", lines(), b"key-1"),
        (b"key-1\0", null, b"key-1"),
        (b"id\r\nkey-1\r\n", column("id"), b"key-1"),
        (b"id\nkey-1\n\n\r\n", column("id"), b"key-1"),
        (b"id\n\"key\n1\"\n\"key\n", column("id"), b"key\n1"),
        (b"id\tx\r\n\"key\t\r\n", column("id"), b"\"key"),
        (b"\xef\xbb\xbfid\r\nkey-1\n", column("id"), b"key-1"),
    ];
    for (data, form, key) in cases {
        let mut keys = Keys::of("SOURCE", Open(data), &form, LIMIT, &notes).unwrap();
        let mut batch = Vec::new();
        keys.next_batch(4096, &mut batch).unwrap();
        assert_eq!(batch, [key]);
    }
    // Line feeds in long fields are no ends of keys.
    let field = "x\n".repeat(200_000);
    let rows = format!("id\n{}", format!("\"{field}\"\n").repeat(20));
    let mut keys = Keys::of("SOURCE", rows.as_bytes(), &column("id"), LIMIT, &notes).unwrap();
    let (mut batch, mut count) = (vec![Vec::new()], 0);
    while !batch.is_empty() {
        keys.next_batch(4096, &mut batch).unwrap();
        assert!(batch.iter().map(Vec::len).sum::<usize>() <= field.len() + (1 << 20));
        count += batch.len();
    }
    assert_eq!(count, 20);
}

#[test]
fn standard_input_is_read_once() {
    let paths = |names: &[&str]| -> Vec<PathBuf> { names.iter().map(PathBuf::from).collect() };
    assert!(sources(&[]).unwrap().eq(paths(&["-"])));
    assert!(
        sources(&paths(&["a", "-", "a"]))
            .unwrap()
            .eq(paths(&["a", "-", "a"]))
    );
    let failure = sources(&paths(&["-", "a", "-"])).err().unwrap();
    assert_eq!(failure.to_string(), "-: is given twice");
}

#[test]
fn compressed_files_are_their_contents_or_errors() {
    let text: Vec<u8> = (0..2_000)
        .flat_map(|key| format!("key-{key}\n").into_bytes())
        .collect();
    let keys = read(&text, &lines()).unwrap().0;
    let (start, end) = text.split_at(7_000);
    // Frames to skip, as `pzstd` writes, with the length of what follows.
    let [skipped, last] = [b"\x50\x2a\x4d\x18\x03\0\0\0abc", b"\x5f\x2a\x4d\x18\x03\0\0\0abc"];
    let cases = [
        (gzip(&text), GZIP),
        ([gzip(start), gzip(b""), gzip(end)].concat(), GZIP),
        (zstd(&text), ZSTD),
        ([skipped, &zstd(start)[..], last, &zstd(end)].concat(), ZSTD),
        ([last, &zstd(&text)[..]].concat(), ZSTD),
    ];
    for (data, word) in cases {
        assert_eq!(read(&data, &lines()).unwrap(), (keys.clone(), word.to_owned()));
        // Cut anywhere, and other bytes at the end, where the checksum is.
        for length in [5, 12, data.len() / 2, data.len() - 1] {
            let message = read(&data[..length], &lines()).unwrap_err();
            let reasons = ["unexpected end of file", "incomplete deflate stream"];
            let is_named = |reason| message.starts_with(&format!("SOURCE: cannot read the keys: {reason};"));
            assert!(reasons.iter().any(is_named), "{message}");
        }
        // A decoder's error in words, not in Rust.
        let message = read(&[&data[..20], &[0xff; 99]].concat(), &lines()).unwrap_err();
        assert!(!message.contains(['{', '(']), "{message}");
        let mut changed = data.clone();
        let at = data.len() - if word == GZIP { 8 } else { 4 };
        changed[at] ^= 1;
        refused(&changed, &lines(), &["checksum"]);
        refused(
            &[&data[..], b"more"].concat(),
            &lines(),
            &["SOURCE: cannot read the keys: "],
        );
    }
    // The first frame that is not skipped decides: an empty one, a long one and many are.
    let empty = b"\x50\x2a\x4d\x18\0\0\0\0";
    let long = [b"\x51\x2a\x4d\x18\xff\xff\x03\0", &[7; 0x3_ffff][..]].concat();
    for before in [last.to_vec(), empty.to_vec(), long, empty.repeat(100_000)] {
        gives(&[&before, &zstd(b"5\n")[..]].concat(), &lines(), &[b"5"], ZSTD);
        refused(
            &[&before, &b"\x04\x22\x4d\x18\x64\x40\xa7"[..]].concat(),
            &lines(),
            &[
                "SOURCE: must have one key per line, but it is compressed by LZ4: make lines by `lz4 -dc FILE`",
            ],
        );
        refused(&[&before, &b"text\n"[..]].concat(), &lines(), &["damaged"]);
    }
    gives(&gzip(b"id\n5\n"), &column("id"), &[b"5"], GZIP);
    // A tape's block is filled with zero bytes.
    gives(&[gzip(b"5\n"), vec![0; 512]].concat(), &lines(), &[b"5"], GZIP);
    gives(&[gzip(b""), gzip(b"5\n")].concat(), &lines(), &[b"5"], GZIP);
    refused(&gzip(b"\xff\xfea\0\n\0"), &lines(), &["UTF-16"]);
    for (data, command) in [
        (gzip(&gzip(&text)), "gzip: decompress it once, and `gzip -dc`"),
        (gzip(&zstd(&text)), "Zstandard: "),
    ] {
        refused(
            &data,
            &lines(),
            &[
                "SOURCE: must have one key per line, but it is compressed twice, inside by ",
                command,
            ],
        );
    }
}

#[test]
fn small_files_of_huge_contents_are_refused() {
    // A frame without a length or a checksum, and blocks of 128 KiB that say which byte is repeated.
    let mut bomb = b"\x28\xb5\x2f\xfd\0\x58".to_vec();
    let block = |is_last: u32| [&((1_u32 << 17 << 3) | 1 << 1 | is_last).to_le_bytes()[..3], b"x"].concat();
    (0..520).for_each(|_| bomb.extend(block(0)));
    bomb.extend(block(1));
    let notes = Notes::default();
    let mut keys = Keys::of("SOURCE", &bomb[..], &lines(), u64::MAX, &notes).unwrap();
    let message = keys.next_key().unwrap_err().to_string();
    let expected =
        "SOURCE: cannot read the keys: its contents must not exceed 64 MiB plus 500 times its size";
    assert!(message.starts_with(expected), "{message}");
    // A window of two gigabytes.
    refused(
        b"\x28\xb5\x2f\xfd\0\xa8\x01\0\0",
        &lines(),
        &["SOURCE: cannot read the keys: its window must have at most 128 MiB"],
    );
}

#[test]
fn archives_are_named_with_the_command_that_makes_lines() {
    let tar = [
        &b"keys.txt"[..],
        &[0; 249],
        b"ustar  \0",
        &[0; 247],
        b"one\ntwo\n",
    ]
    .concat();
    let cases = [
        (gzip(&tar), "`tar -xOf FILE`, `tar -xOzf FILE`"),
        (tar, "`tar -xOf FILE`"),
    ];
    for (data, text) in cases {
        refused(
            &data,
            &lines(),
            &[
                "SOURCE: must have one key per line, but it is a tar archive: make lines by",
                text,
            ],
        );
    }
    // A word that has a form's mark in its place is a key.
    let word = [&b"0".repeat(255)[..], b"\nmustard"].concat();
    assert_eq!(word.get(257..262), Some(&b"ustar"[..]));
    gives(&word, &lines(), &[&word[..255], b"mustard"], "");
}

/// One rule, for one line as for many, however the bytes come.
#[test]
fn lines_with_zero_bytes_are_refused_by_what_they_are() {
    let utf_16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
    let swapped = |text: &str| text.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<_>>();
    let utf_32 = |text: &str| {
        text.chars()
            .flat_map(|one| u32::from(one).to_le_bytes())
            .collect::<Vec<_>>()
    };
    let numbers: Vec<u8> = (1..=375_u64).flat_map(u64::to_le_bytes).collect();
    let mut random = 1_u64;
    let random: Vec<u8> = (0..1_000)
        .flat_map(|_| {
            random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            random.swap_bytes().to_le_bytes()
        })
        .collect();
    let iconv = "UTF-16: make lines by `iconv -f UTF-16 -t UTF-8 FILE`";
    let xxd = "binary data: make lines by `xxd -p -c LENGTH FILE` of records of this length, to be read with --type binary";
    let many = [b"key\n".repeat(2_000), b"a\0b\n".to_vec()].concat();
    let cases: [(Vec<u8>, u64, &str); 13] = [
        // Short names, as `find -print0` writes them.
        (b"a\0b\0".to_vec(), 1, iconv),
        (utf_16("\u{feff}one\ntwo\n"), 1, iconv),
        (utf_16("\u{feff}二\r\n三\r\n"), 1, iconv),
        (utf_16("one\r\n"), 1, iconv),
        (swapped("\u{feff}二\n"), 1, iconv),
        (swapped("one\ntwo\n"), 1, iconv),
        (
            utf_32("\u{feff}one\n"),
            1,
            "UTF-32: make lines by `iconv -f UTF-32 -t UTF-8 FILE`",
        ),
        (utf_32("one\n"), 1, "UTF-32"),
        (numbers[..8].to_vec(), 1, xxd),
        (numbers, 1, xxd),
        (random, 2, xxd),
        (b"user\0\x01\0\0\n".to_vec(), 1, xxd),
        (many, 2_001, xxd),
    ];
    for (data, line, text) in cases {
        for (data, at_a_time) in [(data.clone(), usize::MAX), (data.clone(), 1), (gzip(&data), 5)] {
            let message = read_slowly(&data, &lines(), at_a_time).unwrap_err();
            let start = format!(
                "SOURCE, line {line}: must be text without zero bytes: --null reads keys that end with one; otherwise it is {text}"
            );
            assert!(message.starts_with(&start), "{at_a_time}: {message}");
            assert!(message.contains("digits with --type binary"), "{message}");
        }
    }
}

#[test]
fn a_recorded_form_names_only_what_was_given() {
    let form = KeyForm {
        kind: Some(KeyKind::Binary),
        null: true,
        ..lines()
    };
    let tabs = KeyForm {
        delimiter: Some(Delimiter::Tab),
        ..column("2")
    };
    for (form, text) in [
        (lines(), "{}"),
        (tabs, r#"{"column":"2","delimiter":"tab"}"#),
        (form, r#"{"type":"binary","null":true}"#),
        (column("2"), r#"{"column":"2"}"#),
    ] {
        assert_eq!(serde_json::to_string(&form).unwrap(), text);
        assert_eq!(serde_json::from_str::<KeyForm>(text).unwrap(), form);
    }
}
