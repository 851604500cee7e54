//! Servers started by the tests, and clients for them.
//!
//! Blocking and asynchronous clients, of one server or of a cluster, differ in one short function. So each client is
//! tested by the laws of `designs.rs`, with errors and with moved slots, and a blocking one by all other tests.

mod client;
mod cluster;
mod design;
mod hooked;
mod server;

use bloom_redis::{Answer, Error, FixedFilter, GrowingFilter, Schema};
pub(crate) use client::{Client, clear};
pub(crate) use cluster::Cluster;
pub(crate) use design::{Design, LEASE};
pub(crate) use hooked::{Hooked, commands_of, counting};
pub(crate) use server::{Server, wait_until};

/// Runs the body with a blocking and then an asynchronous client, each with its own empty server.
pub(crate) fn for_each_client(body: impl Fn(&mut Client)) {
    for connect in [Client::blocking, Client::asynchronous] {
        let server = Server::start(&[]);
        body(&mut connect(&server));
    }
}

/// Runs the body with each of the cluster clients, on an empty cluster.
pub(crate) fn for_each_cluster_client(body: impl Fn(&mut Client, &Cluster)) {
    let cluster = Cluster::shared();
    for connect in Client::OF_CLUSTERS {
        let mut client = connect(&cluster);
        client.words::<()>(&["FLUSHALL"]);
        body(&mut client, &cluster);
    }
}

/// Returns the fixed filter `f`.
pub(crate) fn new_fixed(schema: Result<Schema, Error>) -> FixedFilter {
    FixedFilter::new("f", schema.unwrap()).unwrap()
}

/// Returns the growing filter `g`.
pub(crate) fn new_growing(insertions: u64, rate: f64) -> GrowingFilter {
    GrowingFilter::new("g", Schema::whole_words(insertions, rate).unwrap()).unwrap()
}

/// Returns so many elements.
pub(crate) fn names(of: &str, count: u32) -> Vec<String> {
    (0..count).map(|number| format!("{of} {number}")).collect()
}

#[track_caller]
pub(crate) fn check_all_there(answers: &[Answer]) {
    assert!(answers.iter().all(|&answer| answer == Answer::Maybe));
}

pub(crate) fn golden(name: &str) -> serde_json::Value {
    let path = format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}
