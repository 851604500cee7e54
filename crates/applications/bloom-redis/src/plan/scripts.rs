//! The scripts that run on the server.
//!
//! Short scripts are part of pipelines and are sent whole (`EVAL`): a pipeline would have to be repeated when the
//! server does not know one of its scripts. Long scripts are sent by digest, and whole if the server has not seen them.

use std::sync::LazyLock;

use redis::{Cmd, ErrorKind, RedisError, Script, ServerErrorKind, cmd};

use crate::batch::Replies;
use crate::call::Line;
use crate::error::Error;

/// Declares scripts: what makes one of its code, and of each the name and the files.
macro_rules! scripts {
    ($type:ty, $make:expr; $($(#[$meta:meta])* $name:ident = $($file:literal)*;)*) => {$(
        $(#[$meta])*
        pub(crate) static $name: LazyLock<$type> = LazyLock::new(|| {
            $make(bare(concat!($(include_str!(concat!("../scripts/", $file, ".lua"))),*)))
        });
    )*};
}

scripts! { String, |code| code;
    CREATE = "lifetime" "create";
    COMMIT = "lifetime" "commit";
    SET = "lifetime" "set";
    LOAD = "load";
    REPLACE = "replace";
    WRITE_MARK = "mark";
}

scripts! { Digested, Digested::new;
    CONTAINS = "cursor" "contains";
    INSERT = "cursor" "insert";
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

impl Digested {
    fn new(code: String) -> Self {
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
        let replies = match line.run(&call("EVALSHA", &self.digest)).await {
            Ok(replies) => replies.checked(),
            Err(error) => Err(error),
        };
        match replies {
            Err(error) if error.redis().is_some_and(is_unknown) => {
                line.run(&call("EVAL", &self.code)).await?.checked()
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
