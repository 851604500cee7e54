//! Enumerations in records.

/// Declares an enumeration whose variants are kebab-case in files and have display texts.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $words:literal,)+ }) => {
        $(#[$meta])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
        )]
        #[serde(rename_all = "kebab-case")]
        pub enum $name {
            $($(#[$doc])* $variant,)+
        }

        impl $name {
            /// All variants, in the order of the records.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// Returns the display text.
            pub fn words(self) -> &'static str {
                match self {
                    $(Self::$variant => $words,)+
                }
            }
        }
    };
}

pub(crate) use words;
