//! The nodes of a cluster, so that the commands for one node are sent together.

use std::ops::RangeInclusive;

use redis::{Value, cmd};

use crate::batch::Batch;
use crate::call::Line;
use crate::error::Error;
use membership_filters::redisbloom::hash_tag;

/// The number of slots in the cluster specification.
const SLOTS: u16 = 16_384;

/// Returns the number of the node that serves each key; `None` if the server is no cluster, so that all keys are in one
/// place. A number that is no longer right costs a redirection.
pub(crate) async fn nodes_of<'a>(
    line: &Line,
    keys: impl Iterator<Item = &'a [u8]>,
) -> Result<Option<Vec<u32>>, Error> {
    let replies = line.run(cmd("CLUSTER").arg("SLOTS")).await;
    let ranges = match replies.and_then(|mut replies| replies.array()) {
        Ok(ranges) => ranges,
        // No cluster, a proxy, or a server that forbids the command.
        Err(error) if !error.is_unavailable() => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut masters: Vec<Value> = Vec::new();
    let mut places: Vec<(RangeInclusive<u64>, u32)> = Vec::new();
    for range in ranges {
        let Value::Array(range) = range else { continue };
        let [Value::Int(first), Value::Int(last), Value::Array(master), ..] = &range[..] else {
            continue;
        };
        // Address and port.
        let address = Value::Array(master.iter().take(2).cloned().collect());
        let number = masters.iter().position(|known| *known == address);
        let number = number.unwrap_or_else(|| {
            masters.push(address);
            masters.len() - 1
        });
        places.push((first.unsigned_abs()..=last.unsigned_abs(), number as u32));
    }
    let node_of = |key: &[u8]| {
        let slot = u64::from(slot(key));
        let place = places.iter().find(|(range, _)| range.contains(&slot));
        // A slot that no node serves: its commands fail by themselves.
        place.map_or(u32::MAX, |(_, number)| *number)
    };
    Ok(Some(keys.map(node_of).collect()))
}

/// The batches for some keys: one if there is no cluster, otherwise one for each key, with its node.
#[derive(Default)]
pub(crate) struct Batches(pub(crate) Vec<Batch>);

impl Batches {
    /// Returns the batch for a key that this node serves.
    pub(crate) fn of(&mut self, node: Option<u32>) -> &mut Batch {
        if self.0.is_empty() || node.is_some() {
            self.0.push(Batch::of_node(node));
        }
        let last = self.0.len() - 1;
        &mut self.0[last]
    }
}

/// Returns the slot of a key: CRC16 (XMODEM) of the text that places it.
fn slot(key: &[u8]) -> u16 {
    let crc = hash_tag(key).unwrap_or(key).iter().fold(0_u16, |crc, &byte| {
        (0..8).fold(crc ^ u16::from(byte) << 8, |crc, _| {
            crc << 1 ^ if crc & 0x8000 == 0 { 0 } else { 0x1021 }
        })
    });
    crc % SLOTS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_those_of_the_specification() {
        // Of the specification, and of `CLUSTER KEYSLOT`.
        assert_eq!(slot(b"123456789"), 0x31c3);
        assert_eq!(slot(b"foo"), 12_182);
        assert_eq!(slot(b"a{foo}b"), 12_182);
        assert_eq!(slot(b""), 0);
    }
}
