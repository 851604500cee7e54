//! Servers of the tests' own, and clients of both kinds for them.
//!
//! A test starts the servers it needs and runs its body once for each kind of client:
//!
//! ```text
//! for_each_client(|client| { client.run(filter.contains("name", "element")) ... })
//! ```

mod client;
mod server;

pub use client::Client;
pub use server::Server;

/// Runs the body with a blocking client on an empty server of its own, then with an asynchronous one on another.
pub fn for_each_client(body: impl Fn(&mut Client)) {
    for connect in [Client::blocking, Client::asynchronous] {
        let server = Server::start(&[]);
        body(&mut connect(&server));
    }
}

/// A golden file.
pub fn golden(name: &str) -> serde_json::Value {
    let path = format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}
