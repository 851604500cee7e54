//! The table of accounts.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension as _};

/// Accounts with their balances, in a file of SQLite's. Counts how often it is asked.
#[derive(Debug)]
pub struct Database {
    connection: Connection,
    reads: u64,
}

impl Database {
    /// Opens the file, which is created where there is none.
    ///
    /// # Errors
    ///
    /// Those of SQLite, also when the file holds something else.
    pub fn open(path: &Path) -> rusqlite::Result<Self> {
        let connection = Connection::open(path)?;
        connection.execute_batch(
            "CREATE TABLE IF NOT EXISTS account (name TEXT PRIMARY KEY, balance INTEGER NOT NULL) WITHOUT ROWID",
        )?;
        Ok(Self { connection, reads: 0 })
    }

    /// Inserts many accounts: all or, when one fails, none.
    ///
    /// # Errors
    ///
    /// Those of SQLite, also for a name that is there already.
    pub fn insert_all(&mut self, accounts: impl IntoIterator<Item = (String, i64)>) -> rusqlite::Result<()> {
        let transaction = self.connection.transaction()?;
        {
            let mut insert = transaction.prepare("INSERT INTO account (name, balance) VALUES (?1, ?2)")?;
            for account in accounts {
                insert.execute(account)?;
            }
        }
        transaction.commit()
    }

    /// The balance of an account, if there is one of this name.
    ///
    /// # Errors
    ///
    /// Those of SQLite.
    pub fn balance(&mut self, name: &str) -> rusqlite::Result<Option<i64>> {
        self.reads += 1;
        self.connection
            .prepare_cached("SELECT balance FROM account WHERE name = ?1")?
            .query_row([name], |row| row.get(0))
            .optional()
    }

    /// How many accounts there are.
    ///
    /// # Errors
    ///
    /// Those of SQLite.
    pub fn accounts(&self) -> rusqlite::Result<i64> {
        self.connection
            .query_row("SELECT COUNT(*) FROM account", [], |row| row.get(0))
    }

    /// Gives every name to `each`.
    ///
    /// # Errors
    ///
    /// Those of SQLite, as what `each` gives back.
    pub fn names<E: From<rusqlite::Error>>(
        &self,
        mut each: impl FnMut(&str) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut select = self.connection.prepare("SELECT name FROM account")?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            each(row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?)?;
        }
        Ok(())
    }

    /// Balances that were asked for.
    pub const fn reads(&self) -> u64 {
        self.reads
    }
}
