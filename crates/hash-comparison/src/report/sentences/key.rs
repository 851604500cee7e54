//! Keys in a sentence.

use plots::scene::printable;

/// Longest key that is shown whole, and what is shown of either end of a longer one, in characters.
const MOST: usize = 32;
const END: usize = 14;

/// A recorded key, short enough for a sentence: of a long one the two ends, never cut inside an escape.
///
/// Of keys beyond a limit the record itself has only the ends and the length: `head…tail (n bytes)`.
pub(super) fn shortened(recorded: &str) -> String {
    // No key as recorded holds this character: whatever is not ASCII is escaped.
    let Some((head, rest)) = recorded.split_once('…') else {
        let pieces = pieces(recorded);
        let whole: usize = pieces.iter().map(|piece| piece.chars().count()).sum();
        return if whole <= MOST {
            printable(recorded)
        } else {
            ends(&pieces, &pieces)
        };
    };
    let (tail, length) = rest.rfind(" (").map_or((rest, ""), |at| rest.split_at(at));
    printable(&format!("{}{length}", ends(&pieces(head), &pieces(tail))))
}

/// The first characters of `head` and the last of `tail`.
fn ends(head: &[&str], tail: &[&str]) -> String {
    let fitting = |pieces: &mut dyn Iterator<Item = &&str>| {
        let mut taken = 0;
        pieces
            .take_while(|piece| {
                taken += piece.chars().count();
                taken <= END
            })
            .count()
    };
    let start = head[..fitting(&mut head.iter())].concat();
    let end = tail[tail.len() - fitting(&mut tail.iter().rev())..].concat();
    printable(&format!("{start}…{end}"))
}

/// Characters and escapes: `\\xff`, `\\n`.
fn pieces(mut escaped: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    while let Some(first) = escaped.chars().next() {
        let hexadecimal = escaped.starts_with("\\x")
            && escaped
                .get(2..4)
                .is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
        let length = match first {
            '\\' if hexadecimal => 4,
            '\\' => 1 + escaped[1..].chars().next().map_or(0, char::len_utf8),
            other => other.len_utf8(),
        };
        let (piece, rest) = escaped.split_at(length);
        pieces.push(piece);
        escaped = rest;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::shortened;

    #[test]
    fn both_ends_of_long_keys_are_shown() {
        for whole in ["", "abatement", "\\x00\\n", &"a".repeat(32)] {
            assert_eq!(shortened(whole), whole);
        }
        assert_eq!(
            shortened("https://www.example27.com/news.html?id=4711"),
            "https://www.ex…s.html?id=4711"
        );
        assert_eq!(
            shortened(&format!("b{}e", "\\x00".repeat(20))),
            "b\\x00\\x00\\x00…\\x00\\x00\\x00e"
        );
        assert_eq!(
            shortened(&"\\\\".repeat(20)),
            format!("{0}…{0}", "\\\\".repeat(7))
        );
        // What the record itself has cut.
        assert_eq!(
            shortened(&format!(
                "{}…{} (1,000,000 bytes)",
                "ab".repeat(256),
                "cd".repeat(256)
            )),
            "ababababababab…cdcdcdcdcdcdcd (1,000,000 bytes)"
        );
    }

    #[test]
    fn whatever_a_record_holds_is_shortened_without_a_panic() {
        for odd in ["\\", "\\x", "\\x0é", "\\é", "…", "… (", "é…\\xq", "\u{202e}…"] {
            for times in [1, 40] {
                let short = shortened(&odd.repeat(times));
                assert!(!short.contains('\u{202e}'), "{odd}");
            }
        }
    }
}
