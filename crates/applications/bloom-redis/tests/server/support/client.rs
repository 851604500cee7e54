//! A client over any kind of connection.

use bloom_redis::{Call, Error};
use redis::aio::MultiplexedConnection;
use redis::cluster::ClusterConnection;
use redis::{Cmd, ConnectionLike, FromRedisValue, cluster_async};
use tokio::runtime::Runtime;

use super::{Cluster, Server};

/// A client that executes operations over one kind of connection, and plain commands over another connection.
pub(crate) struct Client {
    connection: Kind,
    plain: Box<dyn ConnectionLike + Send>,
    /// A server of the client's own, which ends with it.
    _server: Option<Server>,
}

enum Kind {
    Blocking(redis::Connection),
    Asynchronous(Runtime, MultiplexedConnection),
    BlockingCluster(Box<ClusterConnection>),
    AsynchronousCluster(Runtime, cluster_async::ClusterConnection),
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("a runtime")
}

/// Deletes all keys of a server.
pub(crate) fn clear(connection: &mut dyn ConnectionLike) {
    let keys: Vec<Vec<u8>> = redis::cmd("KEYS").arg("*").query(connection).expect("keys");
    if !keys.is_empty() {
        redis::cmd("DEL").arg(keys).exec(connection).expect("a reply");
    }
}

impl Client {
    /// Starts a server, and connects a blocking client.
    pub(crate) fn of_new_server() -> Self {
        Self::owning(Server::start(&[]))
    }

    /// Starts a server with the module RedisBloom, and connects a blocking client.
    pub(crate) fn of_new_module() -> Self {
        Self::owning(Server::with_module())
    }

    fn owning(server: Server) -> Self {
        let client = Self::blocking(&server);
        Self {
            _server: Some(server),
            ..client
        }
    }

    /// Connects a blocking client.
    pub(crate) fn blocking(server: &Server) -> Self {
        Self::of(Kind::Blocking(server.connection()), server.connection())
    }

    /// The kinds of clients for a cluster.
    pub(crate) const OF_CLUSTERS: [fn(&Cluster) -> Self; 2] = [
        |cluster| {
            let connection = Kind::BlockingCluster(Box::new(cluster.connection()));
            Self::of(connection, cluster.connection())
        },
        |cluster| {
            let runtime = runtime();
            let connection = runtime.block_on(cluster.client().get_async_connection());
            let connection = Kind::AsynchronousCluster(runtime, connection.expect("a connection"));
            Self::of(connection, cluster.connection())
        },
    ];

    fn of(connection: Kind, plain: impl ConnectionLike + Send + 'static) -> Self {
        Self {
            connection,
            plain: Box::new(plain),
            _server: None,
        }
    }

    /// Connects an asynchronous client with its own runtime.
    pub(crate) fn asynchronous(server: &Server) -> Self {
        let runtime = runtime();
        let client = redis::Client::open(server.url()).expect("an address");
        // The default of half a second is too short while the machine compiles.
        let config = redis::AsyncConnectionConfig::new()
            .set_response_timeout(Some(std::time::Duration::from_secs(60)));
        let connection = runtime
            .block_on(client.get_multiplexed_async_connection_with_config(&config))
            .expect("a connection");
        Self::of(Kind::Asynchronous(runtime, connection), server.connection())
    }

    pub(crate) fn try_run<T: Send>(&mut self, call: Call<'_, T>) -> Result<T, Error> {
        match &mut self.connection {
            Kind::Blocking(connection) => call.query(connection),
            Kind::Asynchronous(runtime, connection) => runtime.block_on(call.query_async(connection)),
            Kind::BlockingCluster(connection) => call.query(&mut **connection),
            Kind::AsynchronousCluster(runtime, connection) => runtime.block_on(call.query_async(connection)),
        }
    }

    /// Executes an operation that must succeed.
    #[track_caller]
    pub(crate) fn run<T: Send>(&mut self, call: Call<'_, T>) -> T {
        match self.try_run(call) {
            Ok(value) => value,
            Err(error) => panic!("{error}"),
        }
    }

    /// Executes an operation that must fail.
    #[track_caller]
    pub(crate) fn fail<T: Send>(&mut self, call: Call<'_, T>) -> Error {
        match self.try_run(call) {
            Ok(_) => panic!("the operation succeeded"),
            Err(error) => error,
        }
    }

    /// Deletes all keys, which takes less time than `FLUSHALL` if they are few.
    pub(crate) fn clear(&mut self) {
        clear(&mut *self.plain);
    }

    /// Sends a command as it is.
    #[track_caller]
    pub(crate) fn command<T: FromRedisValue>(&mut self, command: &Cmd) -> T {
        command.query(&mut *self.plain).expect("a reply")
    }

    /// Sends a command given as words.
    #[track_caller]
    pub(crate) fn words<T: FromRedisValue>(&mut self, words: &[&str]) -> T {
        self.command(Cmd::new().arg(words))
    }
}
