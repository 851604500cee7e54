//! The examples `read_through` and `growing`.

use crate::support::Server;
use crate::{growing_example, read_through};

#[test]
fn a_filter_before_a_cache_prints_what_its_first_lines_say_and_leaves_nothing_behind() {
    let server = Server::start(&[]);
    let line = read_through::run(&server.url()).unwrap();
    let source = include_str!("../../examples/read_through.rs");
    assert!(source.contains(&format!("//! {line}\n")), "{line}");
    assert!(server.words::<Vec<String>>(&["KEYS", "*"]).is_empty());
}

#[test]
fn a_growing_filter_prints_what_its_first_lines_say() {
    let line = growing_example::run(&Server::start(&[]).url()).unwrap();
    let source = include_str!("../../examples/growing.rs");
    assert!(source.contains(&format!("//! {line}\n")), "{line}");
}
