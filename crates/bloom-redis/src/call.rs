//! One operation, not yet done, and the two ways to do it.
//!
//! An operation is an `async` block that knows no connection: it hands batches of commands to a [`Line`] and gets the
//! replies back. It never waits for anything else, so that a driver only has to poll it, send what it asked for, and
//! poll again. Nothing but this module touches a connection.

use core::future::{Future, poll_fn};
use core::pin::Pin;
use core::task::{Context, Poll, Waker};
use std::sync::{Arc, Mutex, PoisonError};

use redis::{RedisResult, Value};

use crate::error::Error;
use crate::plan::{Batch, Replies};

/// An operation that is done when it is sent: with [`query`](Self::query) over a connection that blocks, or with
/// [`query_async`](Self::query_async) over one that does not. The names are those of the `redis` crate's own commands.
///
/// The connection is the caller's: a single one, one from a pool, a connection manager or a cluster's. Time-outs and
/// reconnection are set there.
///
/// ```
/// use bloom_redis::{Fixed, Schema};
///
/// # fn blocking(connection: &mut redis::Connection) -> Result<(), Box<dyn core::error::Error>> {
/// let filter = Fixed::new(Schema::fixed(3_000, 0.03)?);
/// let answer = filter.contains("topic", "76930242").query(connection)?;
/// # let _ = answer;
/// # Ok(())
/// # }
/// ```
#[must_use = "an operation does nothing until it is sent"]
pub struct Call<'a, T> {
    work: Work<'a, T>,
    line: Line,
}

type Work<'a, T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send + 'a>>;

impl<'a, T> Call<'a, T> {
    pub(crate) fn new<F>(work: impl FnOnce(Line) -> F) -> Self
    where
        F: Future<Output = Result<T, Error>> + Send + 'a,
    {
        let line = Line::default();
        Self {
            work: Box::pin(work(line.clone())),
            line,
        }
    }

    /// The same operation with another outcome.
    pub(crate) fn map<U>(self, change: impl FnOnce(T) -> Result<U, Error> + Send + 'a) -> Call<'a, U>
    where
        T: 'a,
    {
        let Self { work, line } = self;
        Call {
            work: Box::pin(async move { change(work.await?) }),
            line,
        }
    }

    /// Does it over a connection that blocks.
    ///
    /// # Errors
    ///
    /// The operation's own, and [`Error::Server`] when the server fails or cannot be reached.
    pub fn query(mut self, connection: &mut (impl redis::ConnectionLike + ?Sized)) -> Result<T, Error> {
        loop {
            match self.advance() {
                Next::Done(result) => return result,
                Next::Send(batch) => self.line.answer(send(connection, &batch)),
            }
        }
    }

    /// Does it over an asynchronous connection.
    ///
    /// Dropping the future leaves the operation where it is: commands that were sent may or may not have been done.
    ///
    /// # Errors
    ///
    /// The operation's own, and [`Error::Server`] when the server fails or cannot be reached.
    #[cfg(feature = "tokio")]
    pub async fn query_async(mut self, connection: &mut impl redis::aio::ConnectionLike) -> Result<T, Error> {
        loop {
            match self.advance() {
                Next::Done(result) => return result,
                Next::Send(batch) => {
                    let replies = send_async(connection, &batch).await;
                    self.line.answer(replies);
                }
            }
        }
    }

    fn advance(&mut self) -> Next<T> {
        let mut context = Context::from_waker(Waker::noop());
        match self.work.as_mut().poll(&mut context) {
            Poll::Ready(result) => Next::Done(result),
            Poll::Pending => Next::Send(self.line.asked()),
        }
    }
}

impl<T> core::fmt::Debug for Call<'_, T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Call").finish_non_exhaustive()
    }
}

/// What a driver does next.
enum Next<T> {
    Send(Batch),
    Done(Result<T, Error>),
}

fn send(connection: &mut (impl redis::ConnectionLike + ?Sized), batch: &Batch) -> RedisResult<Vec<Value>> {
    if let Some(command) = batch.single() {
        return connection.req_command(command).map(|reply| vec![reply]);
    }
    let (pipeline, count) = (batch.pipeline(), batch.len());
    let packed = pipeline.get_packed_pipeline();
    // What `Pipeline::query` calls, too. It refuses the blocking cluster connection, which does take pipelines whose
    // keys are all on one node, as ours are.
    if batch.is_atomic() {
        connection.req_packed_commands(&packed, count + 1, 1)
    } else {
        connection.req_packed_commands(&packed, 0, count)
    }
}

#[cfg(feature = "tokio")]
async fn send_async(
    connection: &mut impl redis::aio::ConnectionLike,
    batch: &Batch,
) -> RedisResult<Vec<Value>> {
    if let Some(command) = batch.single() {
        return connection
            .req_packed_command(command)
            .await
            .map(|reply| vec![reply]);
    }
    let (pipeline, count) = (batch.pipeline(), batch.len());
    if batch.is_atomic() {
        connection.req_packed_commands(pipeline, count + 1, 1).await
    } else {
        connection.req_packed_commands(pipeline, 0, count).await
    }
}

/// Where an operation and its driver meet.
#[derive(Clone, Default)]
pub(crate) struct Line(Arc<Mutex<Exchange>>);

#[derive(Default)]
enum Exchange {
    #[default]
    Idle,
    Asked(Batch),
    Answered(RedisResult<Vec<Value>>),
}

impl Line {
    /// Has the driver send the batch; its replies, in the order of the commands. An empty batch is not sent.
    pub(crate) async fn send(&self, batch: Batch) -> Result<Replies, Error> {
        if batch.len() == 0 {
            return Ok(Replies::default());
        }
        let atomic = batch.is_atomic();
        self.put(Exchange::Asked(batch));
        let replies = poll_fn(|_| match self.take() {
            Exchange::Answered(replies) => Poll::Ready(replies),
            waiting => {
                self.put(waiting);
                Poll::Pending
            }
        })
        .await
        .map_err(Error::from)?;
        Replies::new(replies, atomic)
    }

    /// What the operation asked for. It only ever waits for replies, so there is always something.
    fn asked(&self) -> Batch {
        match self.take() {
            Exchange::Asked(batch) => batch,
            Exchange::Idle | Exchange::Answered(_) => Batch::default(),
        }
    }

    fn answer(&self, replies: RedisResult<Vec<Value>>) {
        self.put(Exchange::Answered(replies));
    }

    fn take(&self) -> Exchange {
        core::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn put(&self, exchange: Exchange) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = exchange;
    }
}
