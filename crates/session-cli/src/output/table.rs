//! Tables for people: columns that line up, also when a cell has wide characters.

use std::fmt::Write as _;

use anstyle::Style;
use unicode_width::UnicodeWidthStr as _;

use crate::output::style::DIM;
use crate::output::text::inline;

/// A cell: text, which way it leans, and how it looks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cell {
    text: String,
    leans_right: bool,
    style: Option<Style>,
}

impl Cell {
    /// A cell of plain text, which cannot drive the terminal.
    pub(crate) fn new(text: impl AsRef<str>) -> Self {
        Self {
            text: inline(text.as_ref()),
            ..Self::default()
        }
    }

    /// A cell with a number.
    pub(crate) fn number(value: u64) -> Self {
        Self::right(super::text::number(value))
    }

    /// A cell that leans to the right.
    pub(crate) fn right(text: impl AsRef<str>) -> Self {
        Self {
            leans_right: true,
            ..Self::new(text)
        }
    }

    /// The same cell in a style.
    pub(crate) fn styled(mut self, style: Style) -> Self {
        self.style = Some(style);
        self
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

/// Rows of cells, each column as wide as its widest cell.
#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: Vec<Vec<Cell>>,
}

impl Table {
    /// A table with a line of titles.
    pub(crate) fn with_titles<const N: usize>(titles: [&str; N]) -> Self {
        let titles = titles.map(|title| match title.strip_prefix('>') {
            Some(title) => Cell::right(title).styled(DIM),
            None => Cell::new(title).styled(DIM),
        });
        Self {
            rows: vec![titles.into()],
        }
    }

    /// A table without titles.
    pub(crate) fn plain() -> Self {
        Self::default()
    }

    pub(crate) fn push<const N: usize>(&mut self, cells: [Cell; N]) {
        self.rows.push(cells.into());
    }

    pub(crate) fn push_all(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// The table as text, `indent` columns in.
    pub(crate) fn render(&self, indent: usize) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns)
            .map(|at| {
                let cells = self.rows.iter().filter_map(|row| row.get(at));
                cells.map(|cell| cell.text.width()).max().unwrap_or(0)
            })
            .collect();
        let mut out = String::new();
        for row in &self.rows {
            let mut line = " ".repeat(indent);
            for (at, (cell, width)) in row.iter().zip(&widths).enumerate() {
                let gap = " ".repeat(width.saturating_sub(cell.text.width()));
                let (before, after) = if cell.leans_right {
                    (gap.as_str(), "")
                } else {
                    ("", gap.as_str())
                };
                let between = if at == 0 { "" } else { "  " };
                let style = cell
                    .style
                    .filter(|_| !cell.text.is_empty())
                    .unwrap_or_default();
                let text = &cell.text;
                let _ = write!(line, "{between}{before}{style}{text}{style:#}{after}");
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_by_display_width() {
        let mut table = Table::with_titles(["id", ">tokens"]);
        table.push(["現在".into(), Cell::number(1234)]);
        table.push(["abc".into(), Cell::number(5)]);
        let plain = anstream::adapter::strip_str(&table.render(1)).to_string();
        assert_eq!(plain, " id    tokens\n 現在   1,234\n abc        5\n");
    }
}
