//! Leaders: thin lines from marks to labels, and what they touch.

use plots::mark;

/// The part of a leader that its own mark does not hide.
pub(super) fn outside_mark([from, to]: [(f64, f64); 2]) -> [(f64, f64); 2] {
    let (x, y) = (to.0 - from.0, to.1 - from.1);
    let share = (mark::RADIUS / libm::hypot(x, y)).min(1.0);
    [(from.0 + share * x, from.1 + share * y), to]
}

/// The square that a mark needs.
pub(super) fn around((x, y): (f64, f64)) -> [f64; 4] {
    let r = mark::RADIUS + 1.0;
    [x - r, y - r, x + r, y + r]
}

/// Whether a line touches a rectangle, looked at every other pixel.
pub(super) fn touches([from, to]: [(f64, f64); 2], [left, top, right, bottom]: [f64; 4]) -> bool {
    let steps = libm::ceil((to.0 - from.0).abs().max((to.1 - from.1).abs()) / 2.0).max(1.0) as u32;
    (0..=steps)
        .map(|step| f64::from(step) / f64::from(steps))
        .any(|share| {
            let (x, y) = (from.0 + share * (to.0 - from.0), from.1 + share * (to.1 - from.1));
            left <= x && x <= right && top <= y && y <= bottom
        })
}

#[cfg(test)]
mod tests {
    use super::{around, outside_mark, touches};

    #[test]
    fn a_leader_may_leave_its_mark_where_no_other_lies_over_it() {
        let own = (300.0, 400.0);
        let other = around((306.0, 401.0));
        assert!(!touches(outside_mark([own, (260.0, 380.0)]), other));
        assert!(touches(outside_mark([own, (340.0, 400.0)]), other));
        assert!(touches([own, (302.0, 400.0)], other));
        // A label over its mark has none.
        assert_eq!(outside_mark([own, own])[1], own);
    }
}
