//! The inputs of the fuzz targets `keys` and `records`.

#[path = "../../../../fuzz/inputs.rs"]
mod inputs;
mod keys;
mod records;

#[test]
fn every_committed_input_is_read() {
    inputs::replay("keys", 169, keys::read);
    inputs::replay("records", 637, records::read);
}
