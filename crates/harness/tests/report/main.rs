//! Charts and report as a reader of the files sees them.

mod fixture;

use std::path::PathBuf;

use fixture::Plan;
use harness::records::Records;
use harness::render;

fn rendered(records: &Records, name: &str) -> (PathBuf, Vec<String>) {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    if dir.exists() {
        std::fs::remove_dir_all(&dir).unwrap();
    }
    std::fs::create_dir_all(&dir).unwrap();
    let names = render::render(records, &dir).unwrap();
    (dir, names)
}

#[test]
fn the_same_records_give_the_same_bytes() {
    let records = Plan::standard().records();
    let (first, names) = rendered(&records, "first");
    let (second, again) = rendered(&records, "second");
    assert_eq!(names, again);
    assert_eq!(names, render::file_names(&records));
    assert!(names.is_sorted());
    for name in &names {
        assert_eq!(
            std::fs::read(first.join(name)).unwrap(),
            std::fs::read(second.join(name)).unwrap(),
            "{name}"
        );
    }
}
