//! Servers started by the tests, and clients for them.
//!
//! A test starts the servers that it needs, or runs its body once for each kind of client with [`for_each_client`].

mod client;
mod cluster;
mod design;
mod hooked;
mod server;

use bloom_redis::{Answer, Commands, Error, FixedFilter, GrowingFilter, Schema, SplitFilter};
pub(crate) use client::{Client, clear, runtime};
pub(crate) use cluster::Cluster;
pub(crate) use design::{Design, LEASE, Rebuilding};
pub(crate) use hooked::{Hooked, counting};
pub(crate) use server::{Server, wait_until};

/// Runs the body with a blocking and then an asynchronous client, each with its own empty server.
pub(crate) fn for_each_client(body: impl Fn(&mut Client)) {
    for connect in [Client::blocking, Client::asynchronous] {
        let server = Server::start(&[]);
        body(&mut connect(&server));
    }
}

/// Runs the body with each of the sets of commands, over blocking and asynchronous connections in turn, each time on an
/// empty server. Both kinds of connections meet transactions, pipelines and scripts.
pub(crate) fn for_each_way(mut body: impl FnMut(&mut Client, Commands)) {
    let server = Server::start(&[]);
    let mut clients = [Client::blocking(&server), Client::asynchronous(&server)];
    for (number, commands) in all_commands().enumerate() {
        let client = &mut clients[number % 2];
        client.words::<()>(&["FLUSHALL"]);
        body(client, commands);
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

/// Runs the body with each of the sets of commands, over each of the cluster clients in turn, on an empty cluster.
pub(crate) fn for_each_cluster_way(mut body: impl FnMut(&mut Client, &Cluster, Commands)) {
    let cluster = Cluster::shared();
    let mut clients = Client::OF_CLUSTERS.map(|connect| connect(&cluster));
    for (number, commands) in all_commands().enumerate() {
        let client = &mut clients[number % 3];
        client.words::<()>(&["FLUSHALL"]);
        body(client, &cluster, commands);
    }
}

/// Runs the body with each of the sets of commands on a server, and then with each of the cluster clients.
pub(crate) fn for_each_place(mut body: impl FnMut(&mut Client, Commands)) {
    for_each_way(&mut body);
    let cluster = Cluster::shared();
    for connect in Client::OF_CLUSTERS {
        let mut client = connect(&cluster);
        client.words::<()>(&["FLUSHALL"]);
        body(&mut client, Commands::default());
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

/// Returns the split filter `s`.
pub(crate) fn new_split(insertions: u64, rate: f64, part_bits: u64) -> SplitFilter {
    SplitFilter::new("s", Schema::whole_words(insertions, rate).unwrap())
        .and_then(|split| split.with_part_bits(part_bits))
        .unwrap()
}

/// Returns so many elements.
pub(crate) fn names(of: &str, count: u32) -> Vec<String> {
    (0..count).map(|number| format!("{of} {number}")).collect()
}

#[track_caller]
pub(crate) fn check_all_there(answers: &[Answer]) {
    assert!(answers.iter().all(|&answer| answer == Answer::MightContain));
}

/// Returns the sets of commands that the servers and proxies in the README accept.
pub(crate) fn all_commands() -> impl Iterator<Item = Commands> {
    [
        // Redis 6 and later, Valkey.
        (true, true, true),
        // Redis before `BITFIELD_RO`.
        (false, true, true),
        // Codis, Twemproxy.
        (false, false, true),
        // OCI Cache, sharded.
        (true, true, false),
        // Pika.
        (false, false, false),
    ]
    .into_iter()
    .map(|(bitfield, transactions, scripts)| {
        Commands::default()
            .bitfield(bitfield)
            .transactions(transactions)
            .scripts(scripts)
    })
}

pub(crate) fn golden(name: &str) -> serde_json::Value {
    let path = format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}
