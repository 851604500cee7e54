//! The inputs of the fuzz target `redis_replies`, which need no server.

mod any;
#[path = "../../../../fuzz/inputs.rs"]
mod inputs;

#[test]
fn every_committed_input_is_read() {
    inputs::replay("redis_replies", 1254, any::read);
}
