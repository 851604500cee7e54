//! Loads a filter set's folder into Redis, and asks it.
//!
//! ```text
//! filters build --keys keys.txt --rate 1% --format split-block --shards 16 --out users.set
//! cargo run --release -p bloom-redis --features sets,redis/cluster --example set -- \
//!     load users.set users redis://127.0.0.1:6379
//! cargo run --release -p bloom-redis --features sets,redis/cluster --example set -- \
//!     ask users redis://127.0.0.1:6379 < keys.txt
//! ```
//!
//! For a cluster, give the address of one node or of several. `ask` prints `maybe` or `no` for each line of standard input,
//! in order; keys are bytes, decimal numbers or hexadecimal digits, as the set's manifest says.
//!
//! Exit codes: 0 done; 2 the arguments, the folder, a key or a value on the server are wrong; 1 a server cannot be reached
//! or fails, or a shard is not there.
#![forbid(unsafe_code)]

use std::fmt::Display;
use std::io::{self, BufRead as _, Read as _, Write as _};
use std::process::ExitCode;
use std::time::Duration;

use bloom_redis::{Answer, Error, ErrorKind, Loading, ShardedSet, redis};
use redis::ConnectionLike;
use redis::cluster::ClusterClient;

/// The time-outs for connecting and for each reply.
const CONNECT: Duration = Duration::from_secs(5);
const ANSWER: Duration = Duration::from_secs(30);

/// The most lines that are answered together.
const TOGETHER: usize = 4096;

/// A reason to stop: the exit code, and what standard error says.
type Failure = (u8, String);

const USAGE: &str = "the arguments must be: load FOLDER NAME URL..., or: ask NAME URL...";

fn wrong(what: impl Display) -> Failure {
    (2, what.to_string())
}

fn failed(error: impl Into<Error>) -> Failure {
    use ErrorKind::{InvalidArgument, Malformed, Mismatch, Server};
    let error = error.into();
    let is_wrong = [InvalidArgument, Malformed, Mismatch, Server].contains(&error.kind());
    (if is_wrong { 2 } else { 1 }, error.to_string())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match &arguments[..] {
        ["load", folder, name, urls @ ..] if !urls.is_empty() => load(folder, name, urls),
        ["ask", name, urls @ ..] if !urls.is_empty() => ask(name, urls),
        _ => Err(wrong(USAGE)),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err((code, message)) => {
            eprintln!("error: {message}");
            ExitCode::from(code)
        }
    }
}

/// Connects to one server, or to the cluster that it belongs to.
fn connect(urls: &[&str]) -> Result<Box<dyn ConnectionLike>, Failure> {
    let client = redis::Client::open(urls[0]).map_err(|error| wrong(format_args!("{}: {error}", urls[0])))?;
    let mut connection = client.get_connection_with_timeout(CONNECT).map_err(failed)?;
    connection.set_read_timeout(Some(ANSWER)).map_err(failed)?;
    connection.set_write_timeout(Some(ANSWER)).map_err(failed)?;
    let info: String = redis::cmd("INFO")
        .arg("cluster")
        .query(&mut connection)
        .map_err(failed)?;
    if !info.contains("cluster_enabled:1") {
        return Ok(Box::new(connection));
    }
    let client = ClusterClient::builder(urls.iter().copied())
        .connection_timeout(CONNECT)
        .response_timeout(ANSWER)
        // The crate's own would wait for minutes when a node is gone.
        .retries(4)
        .max_retry_wait(500)
        .build()
        .map_err(wrong)?;
    Ok(Box::new(client.get_connection().map_err(failed)?))
}

fn load(folder: &str, name: &str, urls: &[&str]) -> Result<(), Failure> {
    let mut connection = connect(urls)?;
    let loaded = ShardedSet::new(name)
        .load(folder, Loading::default())
        .query(&mut *connection)
        .map_err(failed)?;
    println!(
        "{name} is generation {}: {} shards of {} bytes loaded",
        loaded.generation, loaded.shards, loaded.bytes
    );
    Ok(())
}

fn ask(name: &str, urls: &[&str]) -> Result<(), Failure> {
    let mut connection = connect(urls)?;
    let set = ShardedSet::new(name);
    let current = set.refresh().query(&mut *connection).map_err(failed)?;
    let items = match current {
        Some(current) => current.manifest().key_kind.clone(),
        None => return Err((1, format!("{}: there is no set", set.key().escape_ascii()))),
    };
    let failed_io = |error: io::Error| (1, error.to_string());
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    loop {
        let lines = input.by_ref().split(b'\n').take(TOGETHER);
        let lines = lines.collect::<Result<Vec<_>, _>>().map_err(failed_io)?;
        if lines.is_empty() {
            return Ok(());
        }
        let keys = lines.into_iter().map(|line| key(line, &items));
        let keys = keys.collect::<Result<Vec<_>, _>>()?;
        let answers = set
            .might_contain_many(keys)
            .query(&mut *connection)
            .map_err(failed)?;
        if answers.contains(&Answer::Missing) {
            let what = "shards of the set are not there";
            return Err((1, format!("{}: {what}", set.key().escape_ascii())));
        }
        let text: String = (answers.iter())
            .map(|answer| match answer {
                Answer::Absent => "no\n",
                Answer::MightContain | Answer::Missing => "maybe\n",
            })
            .collect();
        output.write_all(text.as_bytes()).map_err(failed_io)?;
    }
}

/// Returns the bytes of the key that a line stands for.
fn key(mut line: Vec<u8>, items: &str) -> Result<Vec<u8>, Failure> {
    // As in `filters`, a line ends with LF or CR LF.
    line.pop_if(|byte| *byte == b'\r');
    let text = || String::from_utf8_lossy(&line).into_owned();
    let refused = |what: &str| {
        wrong(format_args!(
            "a line of standard input must be {what}, got {:?}",
            text()
        ))
    };
    match items {
        "long" => match text().parse::<i64>() {
            Ok(number) => Ok(number.to_le_bytes().to_vec()),
            Err(_) => Err(refused("a decimal number of 64 bits")),
        },
        "binary" => hex::decode(&line).map_err(|_| refused("hexadecimal digits")),
        "line" | "string" => Ok(line),
        other => Err(wrong(format_args!(
            "the set's items must be line, string, long or binary, got {other:?}"
        ))),
    }
}
