//! Huge pages under large filters.

use std::fs;
use std::path::Path;

use membership_filters::Long;
use membership_filters::guava::{BloomFilter, ConcurrentBloomFilter, Parameters};

/// Returns true if Linux reports that huge pages were requested for this address.
fn advised(address: usize) -> bool {
    let maps = fs::read_to_string("/proc/self/smaps").unwrap();
    let mut lines = maps.lines();
    let holds = |line: &&str| {
        let bounds = line.split_once(' ').and_then(|(range, _)| range.split_once('-'));
        bounds.is_some_and(|(first, end)| {
            let number = |text| usize::from_str_radix(text, 16).ok();
            number(first) <= Some(address) && Some(address) < number(end)
        })
    };
    lines.find(holds).unwrap();
    let flags = lines.find(|line| line.starts_with("VmFlags:")).unwrap();
    flags.split_whitespace().any(|flag| flag == "hg")
}

fn middle<W>(words: &[W]) -> usize {
    words[words.len() / 2..].as_ptr().addr()
}

#[test]
fn large_filters_ask_for_huge_pages_however_they_come() {
    let possible = Path::new("/sys/kernel/mm/transparent_hugepage").exists();
    // 10 MB.
    let parameters = Parameters::new(8_500_000, 0.01).unwrap();
    let made = BloomFilter::new(Long, &parameters).unwrap();
    assert_eq!(advised(middle(made.words())), possible);
    let read = BloomFilter::from_guava(&made.to_guava(), Long).unwrap();
    assert_eq!(advised(middle(read.words())), possible);
    let cloned = read.clone();
    assert_eq!(advised(middle(cloned.words())), possible);
    let shared = ConcurrentBloomFilter::from(cloned);
    assert_eq!(advised(middle(shared.snapshot().words())), possible);
}
