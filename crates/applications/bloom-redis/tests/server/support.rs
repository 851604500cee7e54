//! Servers started by the tests, and clients for them.
//!
//! A test starts the servers that it needs, or runs its body once for each kind of client with [`for_each_client`].

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

/// Runs the body with each kind of client on a server, and then with each of the cluster clients.
pub(crate) fn for_each_place(body: impl Fn(&mut Client)) {
    for_each_client(&body);
    for_each_cluster_client(|client, _| body(client));
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
