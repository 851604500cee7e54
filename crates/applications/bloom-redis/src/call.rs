//! An operation that has not been executed yet, and the ways to execute it.
//!
//! An operation is an `async` block without a connection: it hands batches of commands to a [`Line`] and gets the
//! replies back. It never waits for anything else, so a driver only polls it, sends the batch, and polls again.
//! Only this module touches a connection.

use core::future::{Future, poll_fn};
use core::pin::Pin;
use core::task::{Context, Poll, Waker};
use std::sync::{Arc, Mutex, PoisonError};

use redis::{Cmd, RedisResult, Value};

use crate::batch::{Batch, Replies, unexpected};
use crate::error::{Error, is_redirection};

/// An operation that is executed when it is sent: with [`query`](Self::query) over a blocking connection, or with
/// `query_async` over an asynchronous one. The methods are named like those of the `redis` crate.
///
/// The caller supplies the connection: a single or pooled connection, a connection manager or a cluster connection.
/// Time-outs and reconnection are set there.
///
/// ```
/// use bloom_redis::{FixedFilter, Schema};
///
/// # fn blocking(connection: &mut redis::Connection) -> Result<(), Box<dyn core::error::Error>> {
/// let filter = FixedFilter::new("topic", Schema::fixed(3_000, 0.03)?)?;
/// let answer = filter.contains("76930242").query(connection)?;
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
    /// Returns an operation on a key, which the server's errors then name.
    pub(crate) fn new<F>(key: &[u8], work: impl FnOnce(Line) -> F) -> Self
    where
        F: Future<Output = Result<T, Error>> + Send + 'a,
    {
        let (line, key) = (Line::default(), key.to_vec());
        let work = work(line.clone());
        Self {
            work: Box::pin(async move { work.await.map_err(|error| error.about(&key)) }),
            line,
        }
    }

    /// Executes the operation over a blocking connection.
    ///
    /// # Errors
    ///
    /// Returns the operation's own errors, and those of the server and the connection.
    pub fn query(mut self, connection: &mut (impl redis::ConnectionLike + ?Sized)) -> Result<T, Error> {
        loop {
            if let Poll::Ready(result) = self.advance() {
                return result;
            }
            let batch = self.line.request();
            self.line.answer(send(connection, &batch));
        }
    }

    /// Executes the operation over an asynchronous connection whose clones share it, such as a multiplexed connection,
    /// a connection manager or a cluster connection. Needs the feature `tokio`.
    ///
    /// Dropping the future stops the operation: commands that were sent may or may not have been executed.
    ///
    /// # Errors
    ///
    /// Returns the operation's own errors, and those of the server and the connection.
    #[cfg(feature = "tokio")]
    pub async fn query_async(
        mut self,
        connection: &(impl redis::aio::ConnectionLike + Clone),
    ) -> Result<T, Error> {
        loop {
            if let Poll::Ready(result) = self.advance() {
                return result;
            }
            let batch = self.line.request();
            self.line.answer(send_async(connection.clone(), &batch).await);
        }
    }

    /// Runs the operation until it is done or has commands to send.
    fn advance(&mut self) -> Poll<Result<T, Error>> {
        self.work.as_mut().poll(&mut Context::from_waker(Waker::noop()))
    }
}

impl<T: Send + 'static> Call<'static, Vec<T>> {
    /// Returns the only answer of an operation on one key.
    pub(crate) fn one(self) -> Call<'static, T> {
        let Self { work, line } = self;
        let answer = async { (work.await?.into_iter().next()).ok_or_else(|| unexpected("an answer", None)) };
        let work: Work<'static, T> = Box::pin(answer);
        Call { work, line }
    }
}

impl<T> core::fmt::Debug for Call<'_, T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Call").finish_non_exhaustive()
    }
}

type Sent = RedisResult<Vec<Value>>;

fn send(connection: &mut (impl redis::ConnectionLike + ?Sized), batch: &Batch) -> Sent {
    if let Some(command) = batch.single() {
        return connection.req_command(&command).map(|reply| vec![reply]);
    }
    let (packed, count) = (batch.packed(), batch.replies());
    // `Pipeline::query` would refuse the blocking cluster connection, although that accepts a pipeline whose keys are
    // all on one node, like ours. Otherwise it calls the same function.
    match connection.req_packed_commands(&packed, 0, count) {
        Err(error) if is_redirection(&error) => (batch.commands())
            .map(|command| connection.req_command(&command))
            .collect(),
        sent => sent,
    }
}

#[cfg(feature = "tokio")]
async fn send_async(mut connection: impl redis::aio::ConnectionLike, batch: &Batch) -> Sent {
    if let Some(command) = batch.single() {
        let reply = connection.req_packed_command(&command).await?;
        return Ok(vec![reply]);
    }
    let (pipeline, count) = (batch.pipeline(), batch.replies());
    match connection.req_packed_commands(&pipeline, 0, count).await {
        Err(error) if is_redirection(&error) => {
            let mut replies = Vec::with_capacity(count);
            for command in pipeline.cmd_iter() {
                replies.push(connection.req_packed_command(command).await?);
            }
            Ok(replies)
        }
        sent => sent,
    }
}

/// The channel between an operation and its driver.
#[derive(Clone, Default)]
pub(crate) struct Line(Arc<Mutex<Exchange>>);

#[derive(Default)]
enum Exchange {
    #[default]
    Idle,
    Request(Batch),
    Replies(Sent),
}

impl Line {
    /// Passes one command to the driver. Returns its reply.
    pub(crate) async fn run(&self, command: &Cmd) -> Result<Replies, Error> {
        self.send(Batch::of(command)).await
    }

    /// Passes a batch to the driver. Returns the replies in the order of the commands. An empty batch is not sent.
    pub(crate) async fn send(&self, batch: Batch) -> Result<Replies, Error> {
        if batch.is_empty() {
            return Ok(Replies::default());
        }
        self.put(Exchange::Request(batch));
        let sent = poll_fn(|_| match self.take() {
            Exchange::Replies(replies) => Poll::Ready(replies),
            waiting => {
                self.put(waiting);
                Poll::Pending
            }
        })
        .await;
        Ok(Replies::new(sent?))
    }

    /// Returns the batch to send. There is one, because an operation waits only for replies.
    fn request(&self) -> Batch {
        match self.take() {
            Exchange::Request(batch) => batch,
            Exchange::Idle | Exchange::Replies(_) => {
                unreachable!("the operation waits, but has sent no request")
            }
        }
    }

    fn answer(&self, replies: Sent) {
        self.put(Exchange::Replies(replies));
    }

    fn take(&self) -> Exchange {
        core::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn put(&self, exchange: Exchange) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = exchange;
    }
}
