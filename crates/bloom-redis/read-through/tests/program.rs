//! The program as a process, and the store that it is made of, on a server of the test's own.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

use bloom_redis_read_through::{Database, Guard, Link, Store, name};

#[path = "../../tests/server/support/server.rs"]
#[expect(dead_code, reason = "other tests restart servers")]
mod server;

use server::Server;

fn program(url: &str, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_bloom-redis-read-through"))
        .args(["--redis", url])
        .args(arguments)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> &str {
    core::str::from_utf8(bytes).unwrap()
}

/// A table of 100 accounts, as yet another connection has it.
fn database(folder: &Path) -> Database {
    let path = folder.join("accounts.db");
    let mut database = Database::open(&path).unwrap();
    if database.accounts().unwrap() == 0 {
        let accounts = (0..100_i32).map(|index| (name(index.unsigned_abs().into()), index.into()));
        database.insert_all(accounts).unwrap();
    }
    database
}

fn keys(server: &Server) -> Vec<String> {
    redis::cmd("KEYS")
        .arg("*")
        .query(&mut server.connection())
        .unwrap()
}

#[test]
fn it_prints_what_each_guard_costs() {
    let server = Server::start(&[]);
    redis::cmd("SET")
        .arg("mine")
        .arg("stays")
        .exec(&mut server.connection())
        .unwrap();
    let arguments = ["--rows", "1000", "--lookups", "5000", "--seed", "7"];
    let output = program(&server.url(), &arguments);
    assert!(output.status.success(), "{output:?}");
    let said: Vec<Vec<&str>> = text(&output.stdout)
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(said[0][..6], ["1000", "rows,", "5000", "lookups,", ABSENT, "of"]);
    let figures: Vec<Vec<u64>> = said[3..]
        .iter()
        .map(|line| {
            line[line.len() - 4..line.len() - 1]
                .iter()
                .map(|n| n.parse().unwrap())
                .collect()
        })
        .collect();
    assert_eq!(figures, EXPECTED);
    // What was there before, and nothing else.
    assert_eq!(keys(&server), ["mine"]);
    let again = program(&server.url(), &arguments);
    assert!(again.status.success(), "{again:?}");
}

const ABSENT: &str = "4474";
/// Reads, round trips and keys of each guard.
const EXPECTED: [[u64; 3]; 3] = [[4797, 5323, 323], [4797, 9797, 4797], [372, 5898, 325]];

#[test]
fn every_guard_gives_the_same_answers() {
    let server = Server::start(&[]);
    let folder = tempfile::tempdir().unwrap();
    for guard in [
        Guard::Nothing,
        Guard::EmptyValues(Duration::from_secs(60)),
        Store::filter(100, 0.000_1, "filter:").unwrap(),
    ] {
        redis::cmd("FLUSHALL").exec(&mut server.connection()).unwrap();
        let new = format!("new with {guard:?}");
        let asks_once = guard != Guard::Nothing;
        let filters = matches!(guard, Guard::Filter(_));
        let link = Link::new(server.connection());
        let mut store = Store::new(guard, link, "account:", database(folder.path()));
        store.rebuild_filter().unwrap();
        for _ in 0..2 {
            assert_eq!(store.balance(&name(7)).unwrap(), Some(7));
            assert_eq!(store.balance("nobody").unwrap(), None);
        }
        // The account once; the name that is absent twice, once or never.
        assert_eq!(
            store.database_reads(),
            3 - u64::from(asks_once) - u64::from(filters)
        );
        assert_eq!(store.balance(&new).unwrap(), None);
        store.insert(&new, 5).unwrap();
        assert_eq!(store.balance(&new).unwrap(), Some(5), "{new}");
    }
}

#[test]
fn a_filter_that_is_lost_denies_nothing() {
    let server = Server::start(&[]);
    let folder = tempfile::tempdir().unwrap();
    let guard = Store::filter(100, 0.01, "filter:").unwrap();
    let link = Link::new(server.connection());
    let mut store = Store::new(guard, link, "account:", database(folder.path()));
    store.rebuild_filter().unwrap();
    redis::cmd("FLUSHALL").exec(&mut server.connection()).unwrap();
    assert_eq!(store.balance(&name(7)).unwrap(), Some(7));
    store.rebuild_filter().unwrap();
    assert_eq!(store.balance(&name(8)).unwrap(), Some(8));
    assert_eq!(store.balance("nobody").unwrap(), None);
}

#[test]
fn what_is_wrong_is_said() {
    let server = Server::start(&[]);
    for (url, arguments, code, part) in [
        (server.url(), vec!["--fpp", "2"], 2, "filter: "),
        (server.url(), vec!["--absent", "1.5"], 2, "numbers from 0 to 1"),
        ("http://127.0.0.1/".to_owned(), vec![], 2, "--redis: "),
        (
            "redis://127.0.0.1:1/".to_owned(),
            vec!["--rows", "1"],
            1,
            "cache: ",
        ),
    ] {
        let output = program(&url, &arguments);
        assert_eq!(
            (output.status.code(), text(&output.stdout)),
            (Some(code), ""),
            "{arguments:?}"
        );
        assert!(text(&output.stderr).contains(part), "{output:?}");
    }
}
