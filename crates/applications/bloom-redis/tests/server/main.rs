//! Tests that start real servers. They are one program, so that shared code is compiled once.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

// The examples are part of this program: a program that Cargo built earlier may be of another source.
#[path = "../../examples/growing.rs"]
#[expect(dead_code, reason = "tests call `run`, not `main`")]
mod growing_example;
#[path = "../../examples/read_through.rs"]
#[expect(dead_code, reason = "tests call `run`, not `main`")]
mod read_through;
#[path = "../../../filter-sets/tests/all/reseal.rs"]
mod reseal;
#[path = "../../examples/sharded.rs"]
#[expect(dead_code, reason = "tests call `run`, not `main`")]
mod sharded_example;

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
mod replies;
mod resharding;
mod round_trips;
mod sharded;
mod support;
mod troubles;
