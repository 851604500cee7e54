//! Batches for several slots of a cluster are sent concurrently.

use std::sync::Arc;

use bloom_redis::{Answer, Expiry};
use redis::aio::{ConnectionLike, MultiplexedConnection};
use redis::{Cmd, Pipeline, RedisFuture, Value};
use tokio::sync::Barrier;

use crate::support::{Server, new_split};

/// A connection that sends only once the barrier's number of requests is waiting.
#[derive(Clone)]
struct Gathering {
    connection: MultiplexedConnection,
    barrier: Arc<Barrier>,
}

impl ConnectionLike for Gathering {
    fn req_packed_command<'a>(&'a mut self, command: &'a Cmd) -> RedisFuture<'a, Value> {
        Box::pin(async move {
            self.barrier.wait().await;
            self.connection.req_packed_command(command).await
        })
    }

    fn req_packed_commands<'a>(
        &'a mut self,
        pipeline: &'a Pipeline,
        offset: usize,
        count: usize,
    ) -> RedisFuture<'a, Vec<Value>> {
        Box::pin(async move {
            self.barrier.wait().await;
            self.connection.req_packed_commands(pipeline, offset, count).await
        })
    }

    fn get_db(&self) -> i64 {
        self.connection.get_db()
    }
}

#[tokio::test]
async fn a_spread_filter_takes_the_time_of_one_trip() {
    const SLOTS: u16 = 5;
    let server = Server::start(&[]);
    let client = redis::Client::open(server.url()).unwrap();
    let gathering = |count| {
        let client = client.clone();
        async move {
            Gathering {
                connection: client.get_multiplexed_async_connection().await.unwrap(),
                barrier: Arc::new(Barrier::new(count)),
            }
        }
    };
    let elements: Vec<String> = (0..200).map(|i| i.to_string()).collect();
    let filter = new_split(2_000, 0.01, 1_024).spread_over(SLOTS).unwrap();
    // The operation would hang if one round trip waited for another.
    let connection = gathering(usize::from(SLOTS)).await;
    filter
        .create(Expiry::Keep)
        .query_together(&connection)
        .await
        .unwrap();
    let new = filter.insert_many(&elements).query_together(&connection).await;
    assert_eq!(new.unwrap().len(), elements.len());
    let answers = filter
        .might_contain_many(&elements)
        .query_together(&connection)
        .await;
    assert!(
        answers
            .unwrap()
            .iter()
            .all(|&answer| answer == Answer::MightContain)
    );
}
