//! Tests that start real servers. They are one program, so that shared code is compiled once.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod between;
mod cluster;
mod designs;
mod example;
mod failures;
mod fixed;
mod growing;
mod losses;
mod redisbloom;
mod replacing;
mod resharding;
mod round_trips;
mod sharded;
mod support;
mod troubles;
