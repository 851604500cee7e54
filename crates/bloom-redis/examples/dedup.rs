//! Tells new keys from those seen before, across all processes that share a filter in Redis.
//!
//! ```text
//! cargo run --release -p bloom-redis --example dedup -- \
//!     --redis redis://127.0.0.1:6379 --key NAME --capacity N --fpp P [--ttl SECONDS] < keys
//! ```
//!
//! Keys are lines of any bytes, without the LF or CRLF at the end. An empty line is the empty key. Each line is answered
//! with `new` or `seen`, in order, as soon as it arrives. `new` is certain: nobody inserted the key before. `seen` is
//! wrong with probability P once the filter holds N keys.
//!
//! The filter is of the fixed design: `bf:NAME`, which the published Java program also reads and writes. A missing
//! filter counts as empty.
//!
//! Exit codes: 0 done; 2 an argument, a key or the value on the server is wrong, and standard error says which; 1 the
//! server cannot be reached or fails, or writing failed. All keys answered until then were inserted.

mod lines;

use std::process::ExitCode;
use std::time::Duration;

use bloom_redis::{Error, Expiry, FixedFilter, Missing, Options, Schema};
use clap::Parser;

use self::lines::{ANSWER, CONNECT, Failure, is_wrong, wrong};

/// Answers every line of standard input with `new` or `seen`.
#[derive(Parser)]
#[command(after_help = "Keys are lines of standard input.")]
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

/// Returns the failure of an operation on the server at this address.
fn failed(error: &Error, address: &str) -> Failure {
    let code = if is_wrong(error.kind()) { 2 } else { 1 };
    (code, format!("{address}: {error}"))
}

fn main() -> ExitCode {
    lines::exit(run(&Arguments::parse()))
}

fn run(arguments: &Arguments) -> Result<(), Failure> {
    let schema = Schema::fixed(arguments.capacity, arguments.fpp).map_err(wrong)?;
    let expiry = match arguments.ttl {
        Some(seconds) => Expiry::After(Duration::from_secs(seconds)),
        None => Expiry::Keep,
    };
    let filter = FixedFilter::new(&arguments.key, schema)
        .map_err(wrong)?
        .with_options(Options::default().missing(Missing::Empty))
        .with_expiry(expiry);

    let client = redis::Client::open(arguments.redis.as_str())
        .map_err(|error| wrong(format_args!("--redis: {error}")))?;
    // Without the password that the address may hold.
    let address = client.get_connection_info().addr().to_string();
    let failed = |error: Error| failed(&error, &address);
    let unreachable = |error: redis::RedisError| failed(error.into());
    let mut connection = client.get_connection_with_timeout(CONNECT).map_err(unreachable)?;
    connection.set_read_timeout(Some(ANSWER)).map_err(unreachable)?;
    connection.set_write_timeout(Some(ANSWER)).map_err(unreachable)?;

    // Fails if the bitmap is longer than this filter's, and so belongs to another filter.
    filter.statistics().query(&mut connection).map_err(failed)?;

    lines::answer(|mut keys| {
        for key in &mut keys {
            // A carriage return without a line feed is part of the key.
            if key.pop_if(|byte| *byte == b'\n').is_some() {
                key.pop_if(|byte| *byte == b'\r');
            }
        }
        // A failed call is not repeated, because keys that it did insert would be reported as seen.
        let new = filter.insert_many(keys).query(&mut connection).map_err(failed)?;
        let answers = new.iter().map(|&new| if new { "new\n" } else { "seen\n" });
        Ok(answers.collect())
    })
}
