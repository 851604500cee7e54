//! Keys in every form, whole and damaged.

use std::io::{self, Read, Write as _};
use std::path::PathBuf;
use std::sync::Mutex;

use flate2::Compression;
use flate2::write::GzEncoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use terminal::failure::Failure;
use terminal::progress::Progress;

use crate::{Delimiter, KeyForm, KeyKind, Keys, sources};

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
    gives(b"\r\n\r\r\n\x01\xff", &lines(), &[b"", b"\r", b"\x01\xff"], many);
    for (key, count) in [
        (&b"a\rb\rc"[..], "2 carriage returns"),
        (b"a\r", "1 carriage return"),
    ] {
        let note = format!(
            "SOURCE: one key, which has {count}: lines must end with LF or CR LF; `tr '\\r' '\\n' < FILE` makes them of lines \
             that end with a carriage return alone"
        );
        gives(key, &lines(), &[key], &note);
        gives(key, &null, &[key], "");
    }
    gives(b"a\rb\nc\rd", &lines(), &[b"a\rb", b"c\rd"], "");
    gives(b"\xef\xbb\xbfa\n", &lines(), &[b"\xef\xbb\xbfa"], mark);
    gives(b"a\n\0\0b\r\0\r\nc", &null, &[b"a\n", b"", b"b\r", b"\r\nc"], "");
    // Each letter a key, which is not UTF-16, nor are its mark and a zero byte.
    gives(b"\xff\xfe\0a", &null, &[b"\xff\xfe", b"a"], "");
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
    let notes = Notes::default();
    let mut named = Keys::of("users.CSV.gz", &b"name,id\n"[..], &lines(), LIMIT, &notes).unwrap();
    assert_eq!(named.next_key().unwrap(), Some(&b"name,id"[..]));
    assert_eq!(named.next_key().unwrap(), None);
    let text = "users.CSV.gz: each line is a key; --column takes the keys of one column";
    assert_eq!(*notes.0.lock().unwrap(), [text]);
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
    refused(b"n\n1\nx\n", &long, &["SOURCE, line 3: must be a number"]);
    let int = KeyForm {
        kind: Some(KeyKind::Int),
        ..lines()
    };
    gives(
        b"-2\n2147483647",
        &int,
        &[&(-2_i32).to_le_bytes(), b"\xff\xff\xff\x7f"],
        "",
    );
    for number in ["2147483648", "-2147483649"] {
        let text = format!("between -2147483648 and 2147483647, got \"{number}\"");
        refused(
            number.as_bytes(),
            &int,
            &["SOURCE, line 1: must be a number", &text],
        );
    }
    refused(
        b"a,b\n",
        &column("c"),
        &["no column is called \"c\"; there are a, b"],
    );
    refused(b"", &column("c"), &["no column is called \"c\""]);
    // The line in which a row begins, after rows of two lines and empty lines.
    refused(
        b"\r\na,b\r\n\n\"1\n\",\"\r\n2\"\r\n\n3\n",
        &column("b"),
        &["SOURCE, line 8: must have at least 2 columns, got 1"],
    );
    refused(
        b"a",
        &column("0"),
        &["--column must be a name or at least 1, got 0"],
    );
    refused(
        b"id,x,id\n1,2,3\n",
        &column("id"),
        &["SOURCE: columns 1 and 3 are both called \"id\"; rename one"],
    );
    gives(b"id,x,x\n1,2,3\n", &column("id"), &[b"1"], "");
    // A number beyond the first row is a name, and one within is a place, since the first row may have a key.
    gives(b"\xef\xbb\xbfid,2024\n1,2\n", &column("2024"), &[b"2"], "");
    gives(b"id,0\n1,2\n", &column("0"), &[b"2"], "");
    gives(b"1,a\n2,b\n", &column("1"), &[b"1", b"2"], "");
    gives(b"2,1\n3,4\n", &column("2"), &[b"1", b"4"], "");
    refused(
        b"id,name\n1,2\n",
        &column("2024"),
        &["SOURCE, line 1: must have at least 2,024 columns, got 2"],
    );
    gives(b"n,m\n\"\",1\n\"\",\"2\"", &column("n"), &[b"", b""], "");
    // A quote that nothing ends.
    for data in [&b"a,b\n1,2\n3,\"4\n5,6\n"[..], b"a,b\n1,2\n3,\"4\"\""] {
        let reason = "SOURCE, line 3: the last field has a quote at its start, and must have one at its end";
        refused(data, &column("a"), &[reason]);
    }
    let open = [b"a\n\"", &b"x\n".repeat(LIMIT as usize)[..]].concat();
    refused(
        &open,
        &column("a"),
        &["SOURCE, line 2: must have at most 2097152 bytes"],
    );
    let names = vec![b','; LIMIT as usize];
    refused(
        &names,
        &column("a"),
        &["the names of columns must have at most 1 MiB"],
    );
}

#[test]
fn the_name_or_the_first_row_or_an_option_decides_the_delimiter() {
    let both = &b"\n\na\tb,1\nc,2\n"[..];
    let given = |delimiter| KeyForm {
        delimiter: Some(delimiter),
        ..column("1")
    };
    let named = |delimiter| KeyForm {
        delimiter: Some(delimiter),
        ..column("id")
    };
    type Case = (&'static str, &'static [u8], KeyForm, [&'static [u8]; 2]);
    let cases: [Case; 12] = [
        (
            "keys",
            b"id;n\n\"1;\";2",
            named(Delimiter::Semicolon),
            [b"1;", b""],
        ),
        (
            "keys.csv",
            b"id|n\n\"1|\"|2",
            named(Delimiter::Pipe),
            [b"1|", b""],
        ),
        (
            "keys.tsv",
            b"id,n\n\"1,\",2",
            named(Delimiter::Comma),
            [b"1,", b""],
        ),
        ("keys.csv", both, column("1"), [b"a\tb", b"c"]),
        ("KEYS.CSV.GZ", both, column("1"), [b"a\tb", b"c"]),
        ("keys.tsv.zst", both, column("1"), [b"a", b"c,2"]),
        ("keys.csv", both, given(Delimiter::Tab), [b"a", b"c,2"]),
        ("keys", both, given(Delimiter::Comma), [b"a\tb", b"c"]),
        ("keys", b"a\tb\nc,2\n", column("1"), [b"a", b"c,2"]),
        ("keys", b"a,b\nc\t2\n", column("1"), [b"a", b"c\t2"]),
        ("keys", b"\"a\"\nc\t2\n", column("1"), [b"a", b"c\t2"]),
        ("keys.tsv", b"\"a\"\nc\n", column("1"), [b"\"a\"", b"c"]),
    ];
    for (name, data, form, expected) in cases {
        let notes = Notes::default();
        let mut found = Vec::new();
        let mut keys = Keys::of(name, data, &form, LIMIT, &notes).unwrap();
        keys.next_batch(9, &mut found).unwrap();
        found.resize(2, Vec::new());
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
    // One column in quotes is not split.
    gives(b"\"id;n\"\n1;2\n", &column("1"), &[b"id;n", b"1;2"], "");
    let notes = Notes::default();
    for name in ["keys", "keys.csv.txt"] {
        let failure = Keys::of(name, both, &column("1"), LIMIT, &notes).err().unwrap();
        let expected =
            format!("{name}: its first row has commas and tabs: give --delimiter comma or --delimiter tab");
        assert_eq!(failure.to_string(), expected);
    }
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
fn other_forms_are_named_with_the_command_that_makes_lines() {
    let tar = [
        &b"keys.txt"[..],
        &[0; 249],
        b"ustar  \0",
        &[0; 247],
        b"one\ntwo\n",
    ]
    .concat();
    let cases: [(Vec<u8>, &str); 7] = [
        (
            b"PAR1\x15\x04\x15".to_vec(),
            "a Parquet file: make lines by `duckdb",
        ),
        (b"\xfd7zXZ\0\0\x04".to_vec(), "`xz -dc FILE`"),
        (b"BZh91AY&SY..".to_vec(), "`bzip2 -dc FILE`"),
        (b"\x04\x22\x4d\x18..".to_vec(), "`lz4 -dc FILE`"),
        (b"PK\x03\x04..".to_vec(), "`unzip -p FILE`"),
        (
            gzip(&tar),
            "a tar archive: make lines by `tar -xOf FILE`, `tar -xOzf FILE`",
        ),
        (tar, "a tar archive: make lines by `tar -xOf FILE`"),
    ];
    for (data, text) in cases {
        refused(
            &data,
            &lines(),
            &["SOURCE: must have one key per line, but it is ", text],
        );
    }
    // A word that has a form's mark in its place is a key.
    let word = [&b"0".repeat(255)[..], b"\nmustard"].concat();
    assert_eq!(word.get(257..262), Some(&b"ustar"[..]));
    gives(&word, &lines(), &[&word[..255], b"mustard"], "");
    // Keys of any bytes but zero in lines are keys: words, digests.
    gives(
        b"PAR1\nBZh\nPK\xff\xfe\x01",
        &lines(),
        &[b"PAR1", b"BZh", b"PK\xff\xfe\x01"],
        "",
    );
    gives(b"P*M\n", &lines(), &[b"P*M"], "");
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
    for data in [utf_16("\u{feff}id\n1\n"), b"id,b\n1,a\0b\n".to_vec()] {
        refused(&data, &column("id"), &["must be text without zero bytes"]);
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
