//! Hadoop's checksums.

use std::fs;

use filter_parquet::add::checksums::{check, path_for, write};

use super::support::golden;

#[test]
fn checksums_of_a_file_are_those_of_hadoop() {
    let path = golden::path("parquet/hadoop/part-00000.snappy.parquet");
    let (file, stored) = (fs::read(&path).unwrap(), fs::read(path_for(&path)).unwrap());
    assert_eq!(check(&stored[..], &file[..]).unwrap(), 512);
    let mut written = Vec::new();
    write(&mut written, &file[..], 512).unwrap();
    assert_eq!(written, stored);

    let refused = |stored: &[u8], file: &[u8], reason: &str| {
        let error = check(stored, file).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    };
    for at in [0, 511, 512, 1501] {
        let mut changed = file.clone();
        changed[at] ^= 1;
        refused(&stored, &changed, &format!("from byte {} on", at / 512 * 512));
    }
    refused(&stored, &file[..1024], "from byte 1024 on");
    refused(&stored, &file[..1501], "from byte 1024 on");
    refused(&stored[..16], &file, "from byte 1024 on");
    refused(&stored[..19], &file, "from byte 1024 on");
    refused(&[&stored[..], b"\0"].concat(), &file, "from byte 1502 on");
    for header in [
        &stored[..7],
        b"",
        b"CRC\0\0\0\x02\0",
        b"crc\0\0\0\0\0",
        b"crc\0\x80\0\0\0",
    ] {
        refused(header, b"", "no checksum file of Hadoop");
    }
}

#[test]
fn pieces_may_have_any_length() {
    let file: Vec<u8> = (0..200_000_u32)
        .map(|number| (number.wrapping_mul(number) >> 7) as u8)
        .collect();
    for (bytes, len) in [
        (1, 300),
        (7, 2_100),
        (65_537, 131_074),
        (i32::MAX as u32, 200_000),
        (512, 0),
    ] {
        let (file, mut stored) = (&file[..len], Vec::new());
        write(&mut stored, file, bytes).unwrap();
        assert_eq!(stored.len(), 8 + 4 * len.div_ceil(bytes as usize));
        assert_eq!(check(&stored[..], file).unwrap(), bytes);
        for (piece, sum) in file.chunks(bytes as usize).zip(stored[8..].chunks(4)) {
            assert_eq!(crc32fast::hash(piece).to_be_bytes(), sum);
        }
    }
}
