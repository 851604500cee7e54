//! The generation that clients of a set read last.

use std::sync::{Arc, PoisonError, RwLock};

use super::nodes::nodes_of;
use super::record::{SetGeneration, record_key};
use crate::call::Line;
use crate::error::Error;

pub(crate) struct Current {
    name: Vec<u8>,
    opened: RwLock<Option<Arc<OpenedGeneration>>>,
}

/// A generation, and where its shards are.
pub(crate) struct OpenedGeneration {
    pub(crate) generation: Arc<SetGeneration>,
    /// The node of each shard, and last that of the small key.
    nodes: Option<Vec<u32>>,
}

impl OpenedGeneration {
    /// Returns the node that serves the small key; `None` if there is no cluster.
    pub(crate) fn node_of_record(&self) -> Option<u32> {
        self.nodes.as_ref().and_then(|nodes| nodes.last().copied())
    }

    /// Returns the node that serves a shard; `None` if there is no cluster.
    pub(crate) fn node_of(&self, shard: usize) -> Option<u32> {
        self.nodes.as_ref().map(|nodes| nodes[shard])
    }
}

impl Current {
    pub(crate) fn new(name: &[u8]) -> Self {
        Self {
            name: name.to_vec(),
            opened: RwLock::default(),
        }
    }

    pub(crate) fn name(&self) -> &[u8] {
        &self.name
    }

    /// Returns the generation that was read last, or reads it.
    pub(crate) async fn get(&self, line: &Line) -> Result<Option<Arc<OpenedGeneration>>, Error> {
        let opened = self.opened.read().unwrap_or_else(PoisonError::into_inner).clone();
        match opened {
            Some(opened) => Ok(Some(opened)),
            None => self.renew(line).await,
        }
    }

    pub(crate) async fn renew(&self, line: &Line) -> Result<Option<Arc<OpenedGeneration>>, Error> {
        let opened = match SetGeneration::read(line, &self.name).await? {
            None => None,
            Some(generation) => {
                let keys = generation.parts().iter().map(|part| &part.key[..]);
                let record = record_key(&self.name);
                let nodes = nodes_of(line, keys.chain([&record[..]])).await?;
                let generation = Arc::new(generation);
                Some(Arc::new(OpenedGeneration { generation, nodes }))
            }
        };
        *self.opened.write().unwrap_or_else(PoisonError::into_inner) = opened.clone();
        Ok(opened)
    }
}
