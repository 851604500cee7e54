//! The example `read_through`.

use crate::read_through;
use crate::support::Server;

#[test]
fn it_prints_what_its_first_lines_say_and_leaves_nothing_behind() {
    let server = Server::start(&[]);
    let line = read_through::run(&server.url()).unwrap();
    let source = include_str!("../../examples/read_through.rs");
    assert!(source.contains(&format!("//! {line}\n")), "{line}");
    assert!(server.words::<Vec<String>>(&["KEYS", "*"]).is_empty());
}
