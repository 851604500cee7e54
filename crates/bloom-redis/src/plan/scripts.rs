//! The scripts that run on the server.
//!
//! Short scripts are part of pipelines and are sent whole (`EVAL`): a pipeline would have to be repeated when the server
//! does not know one of its scripts. Long scripts are sent by digest, and whole if the server has not seen them.

use std::sync::LazyLock;

use redis::{Cmd, ErrorKind, RedisError, Script, ServerErrorKind, cmd};

use crate::batch::Replies;
use crate::call::Line;
use crate::error::Error;

macro_rules! sent_whole {
    ($($name:ident = $($file:literal)*;)*) => {$(
        pub(crate) static $name: LazyLock<String> = LazyLock::new(|| bare(concat!($(include_str!($file)),*)));
    )*};
}

sent_whole! {
    CREATE = "../scripts/lifetime.lua" "../scripts/create.lua";
    COMMIT = "../scripts/lifetime.lua" "../scripts/commit.lua";
    SET = "../scripts/lifetime.lua" "../scripts/set.lua";
    LOAD = "../scripts/load.lua";
    WRITE_MARK = "../scripts/mark.lua";
}

/// Removes the comment lines of a script, because the server hashes the whole text each time.
fn bare(code: &str) -> String {
    (code.split_inclusive('\n'))
        .filter(|line| !line.trim_start().starts_with("--"))
        .collect()
}

/// A script that is sent by digest.
pub(crate) struct Digested {
    code: String,
    digest: String,
}

/// Whether elements are in a growing filter.
pub(crate) static CONTAINS: LazyLock<Digested> = LazyLock::new(|| {
    Digested::new(concat!(
        include_str!("../scripts/cursor.lua"),
        include_str!("../scripts/contains.lua")
    ))
});

/// Inserts elements into a growing filter.
pub(crate) static INSERT: LazyLock<Digested> = LazyLock::new(|| {
    Digested::new(concat!(
        include_str!("../scripts/cursor.lua"),
        include_str!("../scripts/insert.lua")
    ))
});

impl Digested {
    fn new(code: &str) -> Self {
        let code = bare(code);
        let digest = Script::new(&code).get_hash().to_owned();
        Self { code, digest }
    }

    /// Runs the script. `arguments` adds the number of keys, the keys and the arguments.
    pub(crate) async fn run(&self, line: &Line, arguments: impl Fn(&mut Cmd)) -> Result<Replies, Error> {
        let call = |how, script: &str| {
            let mut command = cmd(how);
            arguments(command.arg(script));
            command
        };
        let replies = match line.ask(&call("EVALSHA", &self.digest)).await {
            Ok(replies) => replies.checked(),
            Err(error) => Err(error),
        };
        match replies {
            Err(error) if error.redis().is_some_and(is_unknown) => {
                line.ask(&call("EVAL", &self.code)).await?.checked()
            }
            replies => replies,
        }
    }
}

fn is_unknown(error: &RedisError) -> bool {
    error.kind() == ErrorKind::Server(ServerErrorKind::NoScript)
}

pub(crate) fn eval(code: &str, keys: &[&[u8]]) -> Cmd {
    cmd("EVAL").arg(code).arg(keys.len()).arg(keys).take()
}
