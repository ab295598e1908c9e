//! The lines that a walk did not pass yet, to find the nearest one before a place at once, however
//! many were passed.

/// Lines, and which of them may still be found.
pub(super) struct Unpassed<'l> {
    lines: &'l [usize],
    /// For so many lines from the first on, how many of them there are up to the last that may be
    /// found, or up to one nearer to that.
    ends: Vec<usize>,
}

impl<'l> Unpassed<'l> {
    /// Those of `lines`, which are in ascending order, that may be found at all.
    pub(super) fn new(lines: &'l [usize], is_fit: impl Fn(usize) -> bool) -> Self {
        let ends = lines.iter().zip(1..);
        let ends = ends.map(|(line, end)| end - usize::from(!is_fit(*line)));
        Self {
            lines,
            ends: std::iter::once(0).chain(ends).collect(),
        }
    }

    /// The line is found no more.
    pub(super) fn pass(&mut self, line: usize) {
        if let Ok(place) = self.lines.binary_search(&line)
            && let Some(end) = self.ends.get_mut(place + 1)
        {
            *end = (*end).min(place);
        }
    }

    /// The nearest line before `line` that is not `but`.
    pub(super) fn nearest_before(
        &mut self,
        line: usize,
        but: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let mut end = self.lines.partition_point(|before| *before < line);
        loop {
            end = self.end(end);
            let found = *self.lines.get(end.checked_sub(1)?)?;
            if !but(found) {
                return Some(found);
            }
            end -= 1;
        }
    }

    /// The end at the last line before `end` that may be found; from every end on the way there it is
    /// one step from now on.
    fn end(&mut self, end: usize) -> usize {
        let next = |ends: &[usize], end: usize| ends.get(end).copied().unwrap_or(0);
        let mut last = end;
        while next(&self.ends, last) != last {
            last = next(&self.ends, last);
        }
        let mut at = end;
        while at != last {
            let before = next(&self.ends, at);
            if let Some(end) = self.ends.get_mut(at) {
                *end = last;
            }
            at = before;
        }
        last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_line_is_one_that_is_fit_not_passed_and_not_excepted() {
        let lines = [2, 3, 5, 8, 9];
        let mut unpassed = Unpassed::new(&lines, |line| line != 5);
        assert_eq!(unpassed.nearest_before(9, |_| false), Some(8));
        assert_eq!(unpassed.nearest_before(8, |_| false), Some(3));
        assert_eq!(unpassed.nearest_before(9, |line| line == 8), Some(3));
        unpassed.pass(3);
        unpassed.pass(4);
        assert_eq!(unpassed.nearest_before(8, |_| false), Some(2));
        assert_eq!(unpassed.nearest_before(2, |_| false), None);
        assert_eq!(unpassed.nearest_before(100, |line| line > 2), Some(2));
        unpassed.pass(2);
        assert_eq!(unpassed.nearest_before(8, |_| false), None);
    }

    /// A file whose lines without a parent stand behind others that were passed was read in
    /// quadratic time, since each of them looked at all of these again.
    #[test]
    fn lines_that_were_passed_are_not_looked_at_again() {
        let lines: Vec<usize> = (0..1000).collect();
        let mut unpassed = Unpassed::new(&lines, |_| true);
        (10..1000).for_each(|line| unpassed.pass(line));
        assert_eq!(unpassed.nearest_before(1000, |_| false), Some(9));
        let is_one_step = |end: &usize| *end == 10;
        assert!(unpassed.ends[10..].iter().all(is_one_step));
    }
}
