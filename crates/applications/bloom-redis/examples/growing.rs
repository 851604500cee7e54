//! A crawler that visits each address once. Nobody knows how many there will be, so its filter grows.
//!
//! ```text
//! cargo run --release -p bloom-redis --example growing -- redis://127.0.0.1:6379
//! ```
//!
//! Several crawlers share the filter. A wrong "seen", of one address in a hundred at most, leaves a page out.
//!
//! ```text
//! 20481 of 40000 addresses are new, in 5 bitmaps
//! ```

use std::error::Error;

use bloom_redis::{GrowingFilter, Schema};
use redis::{Client, Connection};

/// Marks the addresses of a page as seen, and returns those that were not.
fn unseen<'a>(
    seen: &GrowingFilter,
    connection: &mut Connection,
    addresses: &'a [String],
) -> Result<Vec<&'a String>, bloom_redis::Error> {
    // One call for all: a key alone costs a round trip, and the server counts the bits of the newest bitmap each time.
    let new = seen.insert_many(addresses).query(connection)?;
    let new = addresses.iter().zip(new).filter(|&(_, new)| new);
    Ok(new.map(|(address, _)| address).collect())
}

fn main() -> Result<(), Box<dyn Error>> {
    let url = std::env::args().nth(1).ok_or("the argument must be a URL")?;
    println!("{}", run(&url)?);
    Ok(())
}

/// Crawls pages, half of whose addresses are on other pages as well. Returns the line to print.
pub(crate) fn run(url: &str) -> Result<String, Box<dyn Error>> {
    let mut connection = Client::open(url)?.get_connection()?;
    // Bitmaps for 5,000 addresses each, and at most 1 % wrong with 20 of them. A query tests every bitmap, so take as many
    // keys in each as you expect in all, and let it grow if there are more.
    let seen = GrowingFilter::new("crawled", Schema::growing(5_000, 20, 0.01)?)?;
    seen.create().query(&mut connection)?;
    let (mut all, mut new) = (0, 0);
    for page in 0..40 {
        let links = (500 * page)..(500 * page + 1_000);
        let links: Vec<String> = links.map(|link| format!("https://example.org/{link}")).collect();
        all += links.len();
        new += unseen(&seen, &mut connection, &links)?.len();
    }
    let bitmaps = seen.stats().query(&mut connection)?.bitmaps();
    Ok(format!("{new} of {all} addresses are new, in {bitmaps} bitmaps"))
}
