//! Tells keys that come for the first time from those that came before, in all processes that share a filter in Redis.
//!
//! ```text
//! cargo run --release -p bloom-redis --example dedup -- \
//!     --redis redis://127.0.0.1:6379 --key NAME --capacity N --fpp P [--ttl SECONDS] < keys
//! ```
//!
//! Keys are lines of UTF-8; a line ends with LF, or CR and LF, which are not part of the key; an empty line is the empty
//! key. Each line is answered with `new` or `seen`, in order, as soon as it has arrived. `new` is certain: nobody inserted
//! the key before. `seen` is wrong with probability P once the filter holds N keys.
//!
//! The filter is the fixed design's: `bf:NAME`, which the published Java program reads and writes, too. A filter that is
//! not there is an empty one.
//!
//! Exit codes: 0 done; 2 the arguments, the keys or what the server holds at the key are wrong, and standard error says
//! which; 1 the server cannot be reached or fails, or writing failed. What was answered until then was inserted.

mod lines;

use std::io::{self, Write as _};
use std::process::ExitCode;
use std::time::Duration;

use bloom_redis::{Error, ErrorKind, Expiry, FixedFilter, Missing, Options, Schema};
use clap::Parser;
use lines::Lines;

/// How long the server may take to accept a connection, and to answer.
const CONNECT: Duration = Duration::from_secs(5);
const ANSWER: Duration = Duration::from_secs(30);

/// Answers every line of standard input with `new` or `seen`.
#[derive(Parser)]
#[command(after_help = "Keys are lines of UTF-8 on standard input.")]
struct Arguments {
    /// The server
    #[arg(long, value_name = "URL")]
    redis: String,

    /// Name of the filter; its bitmap is `bf:NAME`
    #[arg(long, value_name = "NAME")]
    key: String,

    /// Keys that the filter is made for, at least 1
    #[arg(long, value_name = "N")]
    capacity: u64,

    /// Probability that a new key is taken for one that was seen, once there are N; between 0 and 1
    #[arg(long, value_name = "P")]
    fpp: f64,

    /// Let the filter expire so long after the last line, in seconds [default: it stays]
    #[arg(long, value_name = "SECONDS")]
    ttl: Option<u64>,
}

/// Why the program stops.
enum Failure {
    /// What the user gave is wrong.
    Input(String),
    /// Anything else.
    System(String),
    /// Nobody reads the answers; that is no failure.
    Unread,
}

impl Failure {
    /// A failure of an operation on the server at this address.
    fn of_operation(error: &Error, address: &str) -> Self {
        use ErrorKind::{Forbidden, InvalidArgument, Malformed, WrongType};
        match error.kind() {
            Malformed | InvalidArgument => Self::Input(error.to_string()),
            WrongType | Forbidden => Self::Input(format!("{address}: {error}")),
            _ => Self::System(format!("{address}: {error}")),
        }
    }
}

fn main() -> ExitCode {
    let (message, code) = match run(&Arguments::parse()) {
        Ok(()) | Err(Failure::Unread) => return ExitCode::SUCCESS,
        Err(Failure::Input(message)) => (message, 2),
        Err(Failure::System(message)) => (message, 1),
    };
    // Where standard error is closed, too, nobody can be told.
    let _ = writeln!(io::stderr(), "error: {message}");
    ExitCode::from(code)
}

fn run(arguments: &Arguments) -> Result<(), Failure> {
    let schema = Schema::fixed(arguments.capacity, arguments.fpp)
        .map_err(|error| Failure::Input(error.to_string()))?;
    let expiry = match arguments.ttl {
        Some(seconds) => Expiry::After(Duration::from_secs(seconds)),
        None => Expiry::Keep,
    };
    let filter = FixedFilter::new(&arguments.key, schema)
        .map_err(|error| Failure::Input(error.to_string()))?
        .with_options(Options::default().missing(Missing::Empty))
        .with_expiry(expiry);

    let client = redis::Client::open(arguments.redis.as_str())
        .map_err(|error| Failure::Input(format!("--redis: {error}")))?;
    // Without the password that the address may hold.
    let address = client.get_connection_info().addr().to_string();
    let unreachable = |error: redis::RedisError| Failure::of_operation(&error.into(), &address);
    let mut connection = client.get_connection_with_timeout(CONNECT).map_err(unreachable)?;
    connection.set_read_timeout(Some(ANSWER)).map_err(unreachable)?;
    connection.set_write_timeout(Some(ANSWER)).map_err(unreachable)?;

    // A bitmap that is longer than this filter's is another's.
    let failed = |error: Error| Failure::of_operation(&error, &address);
    filter.statistics().query(&mut connection).map_err(failed)?;

    let mut lines = Lines::new(io::stdin().lock());
    let mut output = io::stdout().lock();
    let mut text = Vec::new();
    while let Some((keys, failure)) = lines.next_block() {
        // A call that fails is not repeated: keys that it did insert would come back as seen.
        let new = filter.insert_many(keys).query(&mut connection).map_err(failed)?;
        text.clear();
        for new in new {
            text.extend_from_slice(if new { b"new\n" } else { b"seen\n" });
        }
        let written = output.write_all(&text).and_then(|()| output.flush());
        written.map_err(|error| match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::Unread,
            _ => Failure::System(format!("standard output: {error}")),
        })?;
        if let Some(failure) = failure {
            return Err(failure);
        }
    }
    Ok(())
}
