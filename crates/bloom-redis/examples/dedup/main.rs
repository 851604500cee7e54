//! Tells new keys from those seen before, across all processes that share a filter in Redis.
//!
//! ```text
//! cargo run --release -p bloom-redis --example dedup -- \
//!     --redis redis://127.0.0.1:6379 --key NAME --capacity N --fpp P [--ttl SECONDS] < keys
//! ```
//!
//! Keys are lines of UTF-8, without the LF or CRLF at the end. An empty line is the empty key. Each line is answered
//! with `new` or `seen`, in order, as soon as it arrives. `new` is certain: nobody inserted the key before. `seen` is
//! wrong with probability P once the filter holds N keys.
//!
//! The filter is of the fixed design: `bf:NAME`, which the published Java program also reads and writes. A missing
//! filter counts as empty.
//!
//! Exit codes: 0 done; 2 an argument, a key or the value on the server is wrong, and standard error says which; 1 the
//! server cannot be reached or fails, or writing failed. All keys answered until then were inserted.

mod lines;

use std::io::{self, Write as _};
use std::process::ExitCode;
use std::time::Duration;

use bloom_redis::{Error, ErrorKind, Expiry, FixedFilter, Missing, Options, Schema};
use clap::Parser;
use lines::Lines;

/// The time-outs for connecting and for each reply.
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

    /// Probability that a new key is reported as seen once there are N keys; between 0 and 1
    #[arg(long, value_name = "P")]
    fpp: f64,

    /// Let the filter expire this many seconds after the last line [default: it stays]
    #[arg(long, value_name = "SECONDS")]
    ttl: Option<u64>,
}

/// A reason to stop.
enum Failure {
    /// The arguments, the input or the value on the server are wrong.
    Input(String),
    /// Anything else.
    System(String),
    /// Nobody reads the answers any more, which is not an error.
    Unread,
}

impl Failure {
    /// Converts the error of an operation on the server at this address.
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
    // If standard error is closed, there is nowhere to report this.
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

    // Fails if the bitmap is longer than this filter's, and so belongs to another filter.
    let failed = |error: Error| Failure::of_operation(&error, &address);
    filter.statistics().query(&mut connection).map_err(failed)?;

    let mut lines = Lines::new(io::stdin().lock());
    let mut output = io::stdout().lock();
    let mut text = Vec::new();
    while let Some((keys, failure)) = lines.next_block() {
        // A failed call is not repeated, because keys that it did insert would be reported as seen.
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
