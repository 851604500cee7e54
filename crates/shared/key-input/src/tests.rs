//! Keys in every form, whole and damaged.

use std::io::{self, Read, Write as _};
use std::sync::Mutex;

use flate2::Compression;
use flate2::write::GzEncoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use terminal::failure::Failure;
use terminal::progress::Progress;

use crate::{KeyForm, KeyKind, Keys};

/// Collects notes.
#[derive(Default)]
struct Notes(Mutex<Vec<String>>);

impl Progress for Notes {
    fn begin(&self, _: &str, _: u64) {}

    fn step(&self) {}

    fn note(&self, sentence: &str) {
        self.0.lock().unwrap().push(sentence.to_owned());
    }

    fn cancelled(&self) -> bool {
        false
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

const LIMIT: u64 = 1 << 21;

/// Returns all keys with the notes, or the message, if so many bytes come at a time.
fn read_slowly(data: &[u8], form: &KeyForm, at_a_time: usize) -> Result<(Vec<Vec<u8>>, String), String> {
    let notes = Notes::default();
    let keys = (|| {
        let mut source = Keys::of("SOURCE", Slow(data, at_a_time), form, LIMIT, &notes)?;
        let mut keys = Vec::new();
        while let Some(key) = source.next_key()? {
            keys.push(key.to_vec());
        }
        Ok::<_, Failure>(keys)
    })();
    let notes = notes.0.into_inner().unwrap().join("\n");
    keys.map(|keys| (keys, notes))
        .map_err(|failure| failure.to_string())
}

fn read(data: &[u8], form: &KeyForm) -> Result<(Vec<Vec<u8>>, String), String> {
    read_slowly(data, form, usize::MAX)
}

#[track_caller]
fn gives(data: &[u8], form: &KeyForm, expected: &[&[u8]], notes: &str) {
    for at_a_time in [usize::MAX, 5, 1] {
        let (keys, noted) = read_slowly(data, form, at_a_time).unwrap();
        let expected: Vec<Vec<u8>> = expected.iter().map(|key| key.to_vec()).collect();
        assert!(
            keys == expected && noted == notes,
            "{at_a_time}: {noted}: {keys:.80?}"
        );
        if data.len() > 10_000 {
            break;
        }
    }
}

#[track_caller]
fn refused(data: &[u8], form: &KeyForm, texts: &[&str]) {
    let message = read(data, form).unwrap_err();
    assert!(message.starts_with("SOURCE"), "{message}");
    assert!(texts.iter().all(|text| message.contains(text)), "{message}");
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

#[test]
fn lines_and_keys_with_a_zero_byte_at_the_end() {
    let mark = "SOURCE: its first key begins with a byte order mark of three bytes; remove it";
    let dropped = "SOURCE: 1 carriage return before a line feed belongs to no key";
    let many = "SOURCE: 2 carriage returns before line feeds belong to no key";
    let null = KeyForm {
        null: true,
        ..lines()
    };
    gives(b"", &lines(), &[], "");
    gives(
        b"a\n\nb\r\nc\rd\r",
        &lines(),
        &[b"a", b"", b"b", b"c\rd\r"],
        dropped,
    );
    gives(b"\r\n\r\r\n\0\xff", &lines(), &[b"", b"\r", b"\0\xff"], many);
    gives(b"\xef\xbb\xbfa\n", &lines(), &[b"\xef\xbb\xbfa"], mark);
    gives(b"a\n\0\0b\r\0\r\nc", &null, &[b"a\n", b"", b"b\r", b"\r\nc"], "");
    // Each letter a key, which is not UTF-16.
    let letters = b"a\0".repeat(3_000);
    assert_eq!(read(&letters, &null).unwrap().0.len(), 3_000);
    let long = vec![b'x'; LIMIT as usize];
    let two = [&long[..], b"\r\ny"].concat();
    gives(&two, &lines(), &[&long, b"y"], dropped);
    let longer = [b"y\n", &long[..], b"xxx"].concat();
    refused(
        &longer,
        &lines(),
        &["SOURCE, line 2: must have at most 2097152 bytes"],
    );
}

#[test]
fn columns_of_csv_and_tsv() {
    let csv = b"\xef\xbb\xbfname,\"the id\"\r\na,1,more\n\n\"b,\"\"\nc\",\"2\n\"\nd,3";
    gives(csv, &column("the id"), &[b"1", b"2\n", b"3"], "");
    gives(csv, &column("name"), &[b"a", b"b,\"\nc", b"d"], "");
    gives(b"a,1\nb,2\n", &column("2"), &[b"1", b"2"], "");
    gives(b"id\tname\n\"1\t,\n", &column("id"), &[b"\"1"], "");
    let long = KeyForm {
        kind: Some(KeyKind::Long),
        ..column("n")
    };
    gives(b"n\n-2\n", &long, &[&(-2_i64).to_le_bytes()], "");
    refused(b"n\n1\nx\n", &long, &["SOURCE, row 3: must be a number"]);
    refused(
        b"a,b\n",
        &column("c"),
        &["no column is called \"c\"; there are a, b"],
    );
    refused(b"", &column("c"), &["no column is called \"c\""]);
    refused(
        b"a,b\n1,2\n3\n",
        &column("b"),
        &["SOURCE, row 3: must have at least 2 columns, got 1"],
    );
    refused(
        b"a",
        &column("0"),
        &["--column must be a name or at least 1, got 0"],
    );
    // A quote that nothing ends.
    let open = [b"a\n\"", &b"x\n".repeat(LIMIT as usize)[..]].concat();
    refused(
        &open,
        &column("a"),
        &["SOURCE, row 2: must have at most 2097152 bytes"],
    );
    let names = vec![b','; LIMIT as usize];
    refused(
        &names,
        &column("a"),
        &["the names of columns must have at most 1 MiB"],
    );
}

#[test]
fn compressed_files_are_their_contents_or_errors() {
    let text: Vec<u8> = (0..2_000)
        .flat_map(|key| format!("key-{key}\n").into_bytes())
        .collect();
    let keys = read(&text, &lines()).unwrap().0;
    let (start, end) = text.split_at(7_000);
    // Frames to skip, as `pzstd` writes, with the length of what follows.
    let skipped = b"\x50\x2a\x4d\x18\x03\0\0\0abc";
    let cases = [
        (gzip(&text), GZIP),
        ([gzip(start), gzip(b""), gzip(end)].concat(), GZIP),
        (zstd(&text), ZSTD),
        ([skipped, &zstd(start)[..], skipped, &zstd(end)].concat(), ZSTD),
    ];
    for (data, word) in cases {
        assert_eq!(read(&data, &lines()).unwrap(), (keys.clone(), word.to_owned()));
        // Cut anywhere, and other bytes at the end, where the checksum is.
        for length in [5, 12, data.len() / 2, data.len() - 1] {
            refused(&data[..length], &lines(), &["SOURCE: cannot read the keys: "]);
        }
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
    gives(&gzip(b"id\n5\n"), &column("id"), &[b"5"], GZIP);
    refused(&gzip(b"\xff\xfea\0\n\0"), &lines(), &["UTF-16"]);
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
    let expected = "SOURCE: cannot read the keys: its contents must not exceed 64 MiB and 500 times its size";
    assert!(message.starts_with(expected), "{message}");
    // A window of two gigabytes.
    refused(
        b"\x28\xb5\x2f\xfd\0\xa8\x01\0\0",
        &lines(),
        &["SOURCE: cannot read the keys: "],
    );
}

#[test]
fn other_forms_are_named_with_the_command_that_makes_lines() {
    let utf_16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
    let numbers: Vec<u8> = (0..1_000_u64).flat_map(u64::to_le_bytes).collect();
    let mut random = 1_u64;
    let random: Vec<u8> = (0..1_000)
        .flat_map(|_| {
            random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            random.swap_bytes().to_le_bytes()
        })
        .collect();
    let cases: [(Vec<u8>, &str); 9] = [
        (utf_16("\u{feff}one\ntwo\n"), "UTF-16: make lines by `iconv"),
        (utf_16("one\ntwo\n"), "UTF-16: make lines by `iconv"),
        (numbers, "without lines: make lines by `xxd -p -c LENGTH FILE`"),
        (random, "without lines: make lines by `xxd"),
        (
            b"PAR1\x15\x04\x15".to_vec(),
            "a Parquet file: make lines by `duckdb",
        ),
        (b"\xfd7zXZ\0\0\x04".to_vec(), "`xz -dc FILE`"),
        (b"BZh91AY&SY..".to_vec(), "`bzip2 -dc FILE`"),
        (b"\x04\x22\x4d\x18..".to_vec(), "`lz4 -dc FILE`"),
        (b"PK\x03\x04..".to_vec(), "`unzip -p FILE`"),
    ];
    for (data, text) in cases {
        refused(
            &data,
            &lines(),
            &["SOURCE: must have one key per line, but it is ", text],
        );
    }
    // Keys of any bytes in lines are keys: words, counters with zero bytes, digests.
    gives(b"PAR1\nBZh\nPK", &lines(), &[b"PAR1", b"BZh", b"PK"], "");
    let parts: Vec<u8> = (0..1_000)
        .flat_map(|key| format!("user\0{key}\0\x01\n").into_bytes())
        .collect();
    assert_eq!(read(&parts, &lines()).unwrap().0.len(), 1_000);
}

#[test]
fn a_recorded_form_names_only_what_was_given() {
    let form = KeyForm {
        kind: Some(KeyKind::Binary),
        null: true,
        ..lines()
    };
    for (form, text) in [
        (lines(), "{}"),
        (form, r#"{"type":"binary","null":true}"#),
        (column("2"), r#"{"column":"2"}"#),
    ] {
        assert_eq!(serde_json::to_string(&form).unwrap(), text);
        assert_eq!(serde_json::from_str::<KeyForm>(text).unwrap(), form);
    }
}
