//! The example `set`: loads a folder and answers lines, from one server and from a cluster.

use std::path::Path;

use filter_sets::{Builder, Format, Size};

use super::{printed, refused};
use crate::support::{Cluster, Server};

fn build(folder: &Path, items: &str, keys: &[&[u8]]) {
    let builder = Builder::new(Format::named("spark-v2").unwrap(), Size::Rate(1e-6));
    let mut building = builder.key_kind(items).unwrap().set(folder, 4).unwrap();
    for key in keys {
        building.insert(key).unwrap();
    }
    building.finish(&|_| true).unwrap();
}

#[test]
fn lines_are_answered_in_order_from_a_server_and_from_a_cluster() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("users.set");
    build(&folder, "line", &[b"ann", b"bob", b"\xff", b"car"]);
    let folder = folder.to_str().unwrap();
    let server = Server::start(&[]);
    let cluster = Cluster::shared();
    for url in [server.url(), cluster.url()] {
        let (code, message) = refused("set", &["ask", "users", &url], b"ann\n");
        assert_eq!((code, &*message), (1, "error: bf-set:users: there is no set\n"));
        let loaded = printed("set", &["load", folder, "users", &url], b"");
        assert!(
            loaded.starts_with("users is generation ") && loaded.contains(": 4 shards of "),
            "{loaded}"
        );
        assert_eq!(
            printed("set", &["ask", "users", &url], b"ann\neve\n\xff\ncar\ncar\r\nbob"),
            "maybe\nno\nmaybe\nmaybe\nmaybe\nmaybe\n"
        );
        assert!(printed("set", &["load", folder, "users", &url], b"").contains(": 0 shards of 0 bytes"));
    }
}

#[test]
fn keys_are_what_the_manifest_says_and_what_is_wrong_ends_the_program() {
    let place = tempfile::tempdir().unwrap();
    let server = Server::start(&[]);
    let url = &*server.url();
    let (seven, eight) = ((-7_i64).to_le_bytes(), 8_i64.to_le_bytes());
    for (items, keys, input) in [
        ("long", [&seven[..], &eight], &b"-7\n9\n8\n"[..]),
        ("binary", [&[0, 10], &[255]], b"000A\n00\nff\n"),
    ] {
        let folder = place.path().join(items);
        build(&folder, items, &keys);
        printed("set", &["load", folder.to_str().unwrap(), items, url], b"");
        assert_eq!(printed("set", &["ask", items, url], input), "maybe\nno\nmaybe\n");
        let (code, message) = refused("set", &["ask", items, url], b"x\n");
        assert!(code == 2 && message.contains("got \"x\""), "{message}");
    }
    for key in server.words::<Vec<String>>(&["KEYS", "bf-shard:*"]) {
        server.words::<()>(&["DEL", &key]);
    }
    for (arguments, code, part) in [
        (&["ask", "long", url][..], 1, "shards of the set are not there"),
        (&["ask", "long"], 2, "the arguments must be"),
        (&["load", "/nowhere", "long", url], 2, "/nowhere/manifest.json"),
    ] {
        let told = refused("set", arguments, b"7\n");
        assert!(told.0 == code && told.1.contains(part), "{told:?}");
    }
}
