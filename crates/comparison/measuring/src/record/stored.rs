//! The form of stored types, defined once.

/// Declares structs of plain fields and enums of plain words.
///
/// Numbers are stored with nine digits and must be finite. Words are stored and displayed in kebab case. Unknown fields are
/// refused.
#[macro_export]
macro_rules! stored {
    () => {};
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[$of_variant:meta])* $variant:ident,)* } $($rest:tt)*) => {
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
        )]
        #[serde(rename_all = "kebab-case")]
        $(#[$meta])*
        pub enum $name { $($(#[$of_variant])* $variant,)* }

        impl $name {
            /// All variants, in the order of their declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                serde::Serialize::serialize(self, f)
            }
        }

        $crate::record::stored! { $($rest)* }
    };
    ($(#[$meta:meta])* pub struct $name:ident { $($fields:tt)* } $($rest:tt)*) => {
        $crate::record::stored! { @struct { $(#[$meta])* pub struct $name } [] {} $($fields)* }
        $crate::record::stored! { $($rest)* }
    };
    (@struct $head:tt [$($names:ident)*] { $($done:tt)* } $(#[$meta:meta])* pub $field:ident: f64, $($rest:tt)*) => {
        $crate::record::stored! { @struct $head [$($names)* $field] {
            $($done)*
            $(#[$meta])*
            #[serde(with = "statistics::significant")]
            pub $field: f64,
        } $($rest)* }
    };
    (@struct $head:tt [$($names:ident)*] { $($done:tt)* } $(#[$meta:meta])* pub $field:ident: $type:ty, $($rest:tt)*) => {
        $crate::record::stored! { @struct $head [$($names)* $field] {
            $($done)*
            $(#[$meta])*
            pub $field: $type,
        } $($rest)* }
    };
    (@struct { $(#[$meta:meta])* pub struct $name:ident } [$($names:ident)*] { $($fields:tt)* }) => {
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        $(#[$meta])*
        pub struct $name { $($fields)* }

        impl records::table::Row for $name {
            const COLUMNS: &'static [&'static str] = &[$(stringify!($names)),*];
        }
    };
}

pub use stored;

/// Declares rows about a function, and about a dataset if the list after the name says so, as [`stored!`] does. The flag `TIMED`
/// stands before the list if rows have times.
macro_rules! rows {
    ($($(#[$meta:meta])* pub struct $row:ident: $($flag:ident)? [$($dataset:ident)?] { $($fields:tt)* })+) => {$(
        $crate::record::stored! {
            $(#[$meta])*
            pub struct $row {
                $(
                    /// Name of the dataset.
                    pub $dataset: String,
                )?
                /// Name of the function; `empty` is the cost of the loop, and `ideal` an ideal hash.
                pub function: String,
                $($fields)*
            }
        }

        impl $crate::record::About for $row {
            $(const $flag: bool = true;)?

            fn dataset(&self) -> Option<&str> {
                None::<&str>$(.or(Some(&self.$dataset)))?
            }

            fn function(&self) -> &str {
                &self.function
            }
        }
    )+};
}

pub(crate) use rows;
