//! Queries of a set's shards.

use std::collections::BTreeMap;

use filter_sets::Places;

use super::current::OpenedGeneration;
use super::nodes::Batches;
use super::record::{Part, TAIL, generation_command};
use crate::answer::Answer;
use crate::batch::{Batch, Replies, unexpected};
use crate::call::Line;
use crate::error::Error;
use crate::options::Options;
use crate::plan::bits::{commands_for, push_bits, read_zeros};

/// The number of bits for which a `GETRANGE` counts: about as many bytes pass the network.
const BITS_OF_RANGE: usize = 3;

/// The query of the keys of one shard.
struct Query<'a> {
    part: &'a Part,
    node: Option<u32>,
    /// The index of each key, and where its bits are.
    keys: Vec<(usize, Places)>,
}

impl Query<'_> {
    /// Returns the offsets of the server for all bits: it counts those of a byte from the most significant.
    fn offsets(&self) -> Vec<u64> {
        let bits = self.keys.iter().flat_map(|(_, places)| match places {
            Places::Bits(bits) => &bits[..],
            _ => &[],
        });
        bits.map(|bit| bit ^ 7).collect()
    }

    /// Adds the commands, between two that prove that the shard is there.
    fn push(&self, batch: &mut Batch) {
        let prove = |batch: &mut Batch| {
            let get = batch.add("GETRANGE").arg(&self.part.key);
            // A byte more, because a longer string is another one.
            get.arg(self.part.bytes).arg(self.part.bytes + TAIL);
        };
        prove(batch);
        push_bits(batch, &self.part.key, &self.offsets());
        for (_, places) in &self.keys {
            if let Places::Bytes(ranges) = places {
                for range in ranges {
                    let get = batch.add("GETRANGE").arg(&self.part.key);
                    get.arg(range.start).arg(range.end - 1);
                }
            }
        }
        prove(batch);
    }

    fn read(&self, replies: &mut Replies, keys: &[Vec<u8>], answers: &mut [Answer]) -> Result<(), Error> {
        let before = replies.bytes()?.unwrap_or_default();
        let bits = self.offsets().len();
        let ranges: usize = self.keys.iter().map(|(_, places)| ranges_of(places)).sum();
        let mut middle = replies.take(commands_for(bits) + ranges);
        let after = replies.bytes()?.unwrap_or_default();
        // A shard that goes and is loaded again meanwhile has another number drawn.
        if before != after || !self.part.is_proved_by(&before) {
            for (index, _) in &self.keys {
                answers[*index] = Answer::Missing;
            }
            return Ok(());
        }
        let probes = bits.checked_div(self.keys.len()).unwrap_or(0).max(1);
        read_zeros(&mut middle, bits, |number| {
            if let Some((index, _)) = self.keys.get(number / probes) {
                answers[*index] = Answer::Absent;
            }
        })?;
        for (index, places) in &self.keys {
            let may_contain = match places {
                Places::Same(answer) => *answer,
                Places::Bits(_) => continue,
                Places::Bytes(ranges) => {
                    let mut bytes = Vec::new();
                    for range in ranges {
                        let some = middle.bytes()?.unwrap_or_default();
                        if some.len() as u64 != range.end - range.start {
                            return Err(unexpected("as many bytes as were queried", None));
                        }
                        bytes.extend(some);
                    }
                    self.part.outline.contains(&keys[*index], &bytes)
                }
            };
            if !may_contain {
                answers[*index] = Answer::Absent;
            }
        }
        Ok(())
    }
}

fn ranges_of(places: &Places) -> usize {
    match places {
        Places::Bytes(ranges) => ranges.len(),
        _ => 0,
    }
}

impl OpenedGeneration {
    /// Queries in one round trip. Returns the generation that was current meanwhile by the small key, and the answers of
    /// this one.
    pub(crate) async fn answers(
        &self,
        line: &Line,
        record: &[u8],
        keys: &[Vec<u8>],
        options: Options,
    ) -> Result<(Vec<u8>, Vec<Answer>), Error> {
        // By node, so that what one node serves is sent together.
        let mut shards: BTreeMap<(Option<u32>, usize), Query<'_>> = BTreeMap::new();
        let (mut weight, mut count) = (0, 0);
        let manifest = self.generation.manifest();
        for (index, key) in keys.iter().enumerate() {
            let shard = manifest.shard_of(key);
            let part = &self.generation.parts()[shard];
            // No key was inserted in another form than the manifest's.
            let places = match manifest.is_of_kind(key) {
                true => part.outline.places(key),
                false => Places::Same(true),
            };
            weight += match &places {
                Places::Same(_) => 1,
                Places::Bits(bits) => bits.len(),
                Places::Bytes(ranges) => ranges.len() * BITS_OF_RANGE,
            };
            if index > 0 && weight > options.bits_per_trip {
                break;
            }
            let (node, keys) = (self.node_of(shard), Vec::new());
            let query = shards.entry((node, shard)).or_insert(Query { part, node, keys });
            query.keys.push((index, places));
            count += 1;
        }
        let shards: Vec<Query<'_>> = shards.into_values().collect();
        let mut batches = Batches::default();
        // Next to the shards of its node, which a blocking connection queries together.
        let record_node = self.node_of_record();
        let at = shards.iter().position(|query| query.node == record_node);
        let (before, after) = shards.split_at(at.unwrap_or(shards.len()));
        for query in before {
            query.push(batches.of(query.node));
        }
        batches.of(record_node).push(&generation_command(record));
        for query in after {
            query.push(batches.of(query.node));
        }
        let mut replies = line.send_all(batches.0).await?;
        let mut answers = vec![Answer::Maybe; count];
        let mut read = |replies: &mut Replies, shards: &[Query<'_>]| {
            shards.iter().try_for_each(|query| {
                let read = query.read(replies, keys, &mut answers);
                read.map_err(|error| error.about(&query.part.key))
            })
        };
        read(&mut replies, before)?;
        let generation = replies.bytes().map_err(|error| error.about(record))?;
        read(&mut replies, after)?;
        Ok((generation.unwrap_or_default(), answers))
    }
}
