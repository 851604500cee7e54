//! The scripts that run on the server.
//!
//! Short ones take part in transactions and are sent whole (`EVAL`), since a transaction cannot be repeated for one of its
//! commands that the server did not know. Long ones go by their digest, and whole when the server has not seen them.

use std::sync::LazyLock;

use redis::{Cmd, ErrorKind, RedisError, Script, ServerErrorKind, cmd};

use crate::batch::{Batch, Replies};
use crate::call::Line;
use crate::error::Error;

/// What a missing bitmap holds between `open.lua` and `close.lua`.
pub(crate) const MARK: &str = "bloom-redis:missing";

macro_rules! sent_whole {
    ($($name:ident = $($file:literal)*;)*) => {$(
        pub(crate) static $name: LazyLock<String> = LazyLock::new(|| bare(concat!($(include_str!($file)),*)));
    )*};
}

sent_whole! {
    OPEN = "../scripts/open.lua";
    CLOSE = "../scripts/lifetime.lua" "../scripts/close.lua";
    COMMIT = "../scripts/lifetime.lua" "../scripts/commit.lua";
    EXPIRE = "../scripts/lifetime.lua" "../scripts/expire.lua";
    SET = "../scripts/lifetime.lua" "../scripts/set.lua";
    MERGE = "../scripts/merge.lua";
    LOAD = "../scripts/load.lua";
}

/// A script without its lines of comment: the server hashes the whole text each time.
fn bare(code: &str) -> String {
    (code.split_inclusive('\n'))
        .filter(|line| !line.trim_start().starts_with("--"))
        .collect()
}

/// A script that goes by its digest.
pub(crate) struct Digested {
    code: String,
    digest: String,
}

macro_rules! of_chain {
    ($($(#[$doc:meta])* $name:ident = $file:literal;)*) => {$(
        $(#[$doc])*
        pub(crate) static $name: LazyLock<Digested> = LazyLock::new(|| {
            Digested::new(concat!(include_str!("../scripts/cursor.lua"), include_str!($file)))
        });
    )*};
}

of_chain! {
    /// Asks a growing filter.
    CONTAINS = "../scripts/contains.lua";
    /// Inserts into a growing filter.
    INSERT = "../scripts/insert.lua";
    /// Creates a growing filter.
    CREATE = "../scripts/create.lua";
    /// Puts a rebuilt growing filter in the place of the old one.
    EXCHANGE = "../scripts/exchange.lua";
    /// Empties a growing filter.
    RESET = "../scripts/reset.lua";
}

impl Digested {
    fn new(code: &str) -> Self {
        let code = bare(code);
        let digest = Script::new(&code).get_hash().to_owned();
        Self { code, digest }
    }

    /// Runs it; `arguments` adds what follows the script in the command: the number of keys, keys, arguments. A `WAIT` goes
    /// with it, if there is one.
    pub(crate) async fn run(
        &self,
        line: &Line,
        wait: Option<Cmd>,
        arguments: impl Fn(&mut Cmd),
    ) -> Result<Replies, Error> {
        let call = |how, script: &str| {
            let mut batch = Batch::new();
            arguments(batch.add(how).arg(script));
            batch.and_wait(wait.clone())
        };
        let replies = match line.send(call("EVALSHA", &self.digest)).await {
            Ok(replies) => replies.checked(),
            Err(error) => Err(error),
        };
        match replies {
            Err(error) if error.redis().is_some_and(is_unknown) => {
                line.send(call("EVAL", &self.code)).await?.checked()
            }
            replies => replies,
        }
    }
}

/// Whether the server has not seen the script.
fn is_unknown(error: &RedisError) -> bool {
    error.kind() == ErrorKind::Server(ServerErrorKind::NoScript)
}

/// `EVAL` of a short script.
pub(crate) fn eval(code: &str, keys: &[&[u8]]) -> Cmd {
    cmd("EVAL").arg(code).arg(keys.len()).arg(keys).take()
}
