//! A cluster of three masters on loopback.

use std::sync::{LazyLock, Mutex, MutexGuard};
use std::time::Duration;

use redis::cluster::{ClusterClient, ClusterConnection};
use redis::cmd;

use super::server::load_module;
use super::{Server, wait_until};

/// The number of slots in the cluster specification.
const SLOTS: u16 = 16_384;
const MASTERS: u16 = 3;

/// A running cluster; slots are divided evenly, in the order of the masters.
pub(crate) struct Cluster {
    masters: Vec<Server>,
}

impl Cluster {
    /// Starts a cluster whose nodes have the module RedisBloom, and waits until every node sees it complete.
    pub(crate) fn start() -> Self {
        let own = [
            "--cluster-enabled",
            "yes",
            "--cluster-node-timeout",
            "2000",
            // A lost node must not stop the slots of others.
            "--cluster-require-full-coverage",
            "no",
        ];
        let module = load_module();
        let module = module.iter().map(String::as_str);
        let arguments: Vec<&str> = own.into_iter().chain(module).collect();
        let masters: Vec<Server> = (0..MASTERS).map(|_| Server::start(&arguments)).collect();
        for (number, master) in (0..).zip(&masters) {
            let range = (SLOTS / MASTERS + 1) * number..SLOTS.min((SLOTS / MASTERS + 1) * (number + 1));
            let last = (range.end - 1).to_string();
            master.words::<()>(&["CLUSTER", "ADDSLOTSRANGE", &range.start.to_string(), &last]);
            master.words::<()>(&["CLUSTER", "SET-CONFIG-EPOCH", &(number + 1).to_string()]);
            master.words::<()>(&["CLUSTER", "MEET", "127.0.0.1", &masters[0].port().to_string()]);
        }
        let cluster = Self { masters };
        cluster.wait_until_complete();
        cluster
    }

    /// Returns an empty cluster that tests use one after another, because starting one takes seconds.
    pub(crate) fn shared() -> MutexGuard<'static, Self> {
        static SHARED: LazyLock<Mutex<Cluster>> = LazyLock::new(|| {
            let cluster = Cluster::start();
            cluster.masters.iter().for_each(Server::end_with_tests);
            Mutex::new(cluster)
        });
        let cluster = SHARED
            .lock()
            .expect("a test before this one left the cluster in order");
        for master in &cluster.masters {
            master.words::<()>(&["FLUSHALL"]);
        }
        cluster
    }

    /// Waits until every node knows of all masters and slots.
    pub(crate) fn wait_until_complete(&self) {
        for master in &self.masters {
            wait_until("the cluster is complete", || {
                let info: String = master.words(&["CLUSTER", "INFO"]);
                let nodes: String = master.words(&["CLUSTER", "NODES"]);
                info.contains("cluster_state:ok")
                    && info.contains("cluster_slots_ok:16384")
                    && nodes.lines().filter(|node| node.contains(" connected ")).count()
                        == usize::from(MASTERS)
                    && !nodes.contains("fail")
                    && !nodes.contains("handshake")
            });
        }
    }

    /// Returns a client that gives up on a node after some retries.
    pub(crate) fn client(&self) -> ClusterClient {
        let nodes = self.masters.iter().map(Server::url);
        ClusterClient::builder(nodes)
            .connection_timeout(Duration::from_secs(5))
            .response_timeout(Duration::from_secs(30))
            .retries(4)
            .min_retry_wait(5)
            .max_retry_wait(20)
            .build()
            .expect("a client")
    }

    pub(crate) fn connection(&self) -> ClusterConnection {
        self.client().get_connection().expect("a connection")
    }

    /// Returns the number of the master that serves the slot of a key.
    pub(crate) fn master_of(&self, key: &[u8]) -> usize {
        let slot = self.slot(key);
        usize::from(slot / (SLOTS / MASTERS + 1))
    }

    pub(crate) fn master(&mut self, number: usize) -> &mut Server {
        &mut self.masters[number]
    }

    /// Returns the URL of a node, from which clients learn of the others.
    pub(crate) fn url(&self) -> String {
        self.masters[0].url()
    }

    pub(crate) fn slot(&self, key: &[u8]) -> u16 {
        let mut command = cmd("CLUSTER");
        self.masters[0].command(command.arg("KEYSLOT").arg(key))
    }

    /// Begins to move the slot of a key from its master to the next one.
    pub(crate) fn begin_move(&self, key: &[u8]) -> Move<'_> {
        let from = self.master_of(key);
        let to = (from + 1) % self.masters.len();
        let this = Move {
            cluster: self,
            slot: self.slot(key).to_string(),
            from,
            to,
        };
        this.set(to, &["IMPORTING", &self.id(from)]);
        this.set(from, &["MIGRATING", &self.id(to)]);
        this
    }

    fn id(&self, master: usize) -> String {
        self.masters[master].words(&["CLUSTER", "MYID"])
    }
}

/// A slot that is moving from one master to another.
pub(crate) struct Move<'a> {
    cluster: &'a Cluster,
    slot: String,
    from: usize,
    to: usize,
}

impl Move<'_> {
    fn set(&self, master: usize, words: &[&str]) {
        let words = [&["CLUSTER", "SETSLOT", &self.slot], words].concat();
        self.cluster.masters[master].words::<()>(&words);
    }

    /// Moves one key.
    pub(crate) fn migrate(&self, key: &[u8]) {
        let mut command = cmd("MIGRATE");
        command.arg("127.0.0.1").arg(self.cluster.masters[self.to].port());
        let done: String = self.cluster.masters[self.from].command(command.arg(key).arg(0).arg(10_000));
        assert_eq!(done, "OK", "{}", key.escape_ascii());
    }

    /// Returns the keys that have not moved yet.
    pub(crate) fn left(&self) -> Vec<Vec<u8>> {
        self.cluster.masters[self.from].words(&["CLUSTER", "GETKEYSINSLOT", &self.slot, "1000"])
    }

    /// Returns the keys that have moved.
    pub(crate) fn moved(&self) -> Vec<Vec<u8>> {
        self.cluster.masters[self.to].words(&["CLUSTER", "GETKEYSINSLOT", &self.slot, "1000"])
    }

    /// Moves the remaining keys and gives the slot to its new master.
    pub(crate) fn finish(self) {
        for key in self.left() {
            self.migrate(&key);
        }
        self.give();
    }

    /// Moves the keys back and leaves the slot with its old master.
    pub(crate) fn undo(self) {
        self.set(self.from, &["STABLE"]);
        let back = Self {
            from: self.to,
            to: self.from,
            ..self
        };
        for key in back.left() {
            back.migrate(&key);
        }
        back.set(back.from, &["STABLE"]);
    }

    fn give(&self) {
        let id = self.cluster.id(self.to);
        for master in [self.to, self.from] {
            self.set(master, &["NODE", &id]);
        }
    }
}
