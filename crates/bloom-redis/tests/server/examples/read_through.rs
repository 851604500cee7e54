//! The example `read_through`.

use super::printed;
use crate::support::Server;

#[test]
fn it_prints_what_its_first_lines_say_and_leaves_nothing_behind() {
    let server = Server::start(&[]);
    let said = printed("read_through", &[&server.url()], b"");
    let source = include_str!("../../../examples/read_through.rs");
    for line in said.lines() {
        assert!(source.contains(&format!("//! {line}\n")), "{line}");
    }
    assert_eq!(said.lines().count(), 2);
    assert!(server.words::<Vec<String>>(&["KEYS", "*"]).is_empty());
}
