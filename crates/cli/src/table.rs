//! Tables that fit the terminal width. Wide columns are shortened first; columns that do not fit at
//! all are dropped and reported.

use std::io::{self, Write};

use unicode_width::UnicodeWidthChar;

/// Start and end marks of bold text within a cell. Documents are unlikely to contain them; if one
/// does, a word is bold.
pub(crate) const BOLD: char = '\u{2}';
pub(crate) const PLAIN: char = '\u{3}';

const GAP: usize = 2;
/// Columns are not shortened below this width.
const LEAST_WIDTH: usize = 10;
const ELLIPSIS: char = '…';

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// One line of text, some of it bold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Cell {
    letters: Vec<(char, bool)>,
}

impl Cell {
    /// Creates a cell. Control characters become spaces, so that documents cannot send terminal
    /// escapes.
    pub(crate) fn new(text: &str) -> Self {
        let mut letters: Vec<(char, bool)> = Vec::new();
        let mut bold = false;
        for letter in text.chars() {
            match letter {
                BOLD => bold = true,
                PLAIN => bold = false,
                _ if !is_blank(letter) => letters.push((letter, bold)),
                _ if letters.last().is_some_and(|(last, _)| *last != ' ') => {
                    letters.push((' ', bold));
                }
                _ => {}
            }
        }
        if letters.last().is_some_and(|(last, _)| *last == ' ') {
            letters.pop();
        }
        Self { letters }
    }

    fn width(&self) -> usize {
        self.letters.iter().map(|(letter, _)| columns(*letter)).sum()
    }

    /// Shortens the cell to this many columns, keeping the first bold text visible.
    fn fit_to(&self, width: usize) -> Self {
        if self.width() <= width {
            return self.clone();
        }
        let first_bold = self.letters.iter().position(|(_, bold)| *bold).unwrap_or(0);
        let before: usize =
            self.letters[..first_bold].iter().map(|(letter, _)| columns(*letter)).sum();
        let mut letters = Vec::new();
        let mut room = width.saturating_sub(1);
        let mut start = 0;
        if before > width / 2 {
            let mut context = width / 3;
            start = first_bold;
            while start > 0 && columns(self.letters[start - 1].0) <= context {
                start -= 1;
                context -= columns(self.letters[start].0);
            }
            letters.push((ELLIPSIS, false));
            room = room.saturating_sub(1);
        }
        let mut rest = self.letters[start..].iter().peekable();
        while let Some((letter, bold)) = rest.next_if(|(letter, _)| columns(*letter) <= room) {
            room -= columns(*letter);
            letters.push((*letter, *bold));
        }
        if rest.peek().is_some() {
            letters.push((ELLIPSIS, false));
        }
        Self { letters }
    }

    fn write(&self, styled: bool, out: &mut String) {
        let mut was_bold = false;
        for &(letter, bold) in &self.letters {
            if styled && bold != was_bold {
                out.push_str(if bold { "\u{1b}[1m" } else { "\u{1b}[0m" });
                was_bold = bold;
            }
            out.push(letter);
        }
        if was_bold {
            out.push_str("\u{1b}[0m");
        }
    }
}

/// Returns whether a character would garble a line: controls, direction marks and zero-width
/// characters.
fn is_blank(letter: char) -> bool {
    letter.is_control()
        || letter.is_whitespace()
        || matches!(letter, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

fn columns(letter: char) -> usize {
    letter.width().unwrap_or(0)
}

#[derive(Debug, Default)]
pub(crate) struct Table {
    columns: Vec<(Cell, Align)>,
    rows: Vec<Vec<Cell>>,
}

impl Table {
    pub(crate) fn new(columns: &[(&str, Align)]) -> Self {
        let columns = columns
            .iter()
            .map(|(title, align)| (Cell::new(&format!("{BOLD}{title}{PLAIN}")), *align))
            .collect();
        Self { columns, rows: Vec::new() }
    }

    pub(crate) fn row(&mut self, cells: Vec<Cell>) {
        self.rows.push(cells);
    }

    /// Writes the table; returns the indexes of the columns that did not fit.
    pub(crate) fn write(
        &self,
        width: usize,
        styled: bool,
        out: &mut dyn Write,
    ) -> io::Result<Vec<usize>> {
        let natural: Vec<usize> =
            (0..self.columns.len()).map(|column| self.natural(column)).collect();
        let widths = fit(&natural, width);
        let titles: Vec<Cell> = self.columns.iter().map(|(title, _)| title.clone()).collect();
        for row in std::iter::once(&titles).chain(&self.rows) {
            writeln!(out, "{}", self.line(row, &widths, styled))?;
        }
        Ok((widths.len()..natural.len()).collect())
    }

    fn natural(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.get(column));
        let widest = cells.map(Cell::width).max().unwrap_or(0);
        widest.max(self.columns[column].0.width())
    }

    fn line(&self, row: &[Cell], widths: &[usize], styled: bool) -> String {
        let mut line = String::new();
        for (place, (cell, &width)) in row.iter().zip(widths).enumerate() {
            if place > 0 {
                line.push_str(&" ".repeat(GAP));
            }
            let cell = cell.fit_to(width);
            let room = " ".repeat(width - cell.width().min(width));
            match self.columns[place].1 {
                Align::Right => {
                    line.push_str(&room);
                    cell.write(styled, &mut line);
                }
                Align::Left => {
                    cell.write(styled, &mut line);
                    line.push_str(&room);
                }
            }
        }
        line.truncate(line.trim_end().len());
        line
    }
}

/// Computes the widths of the columns that fit, from the first on.
fn fit(natural: &[usize], width: usize) -> Vec<usize> {
    let least = |widths: &[usize]| -> usize {
        let gaps = GAP * widths.len().saturating_sub(1);
        gaps + widths.iter().map(|width| (*width).min(LEAST_WIDTH)).sum::<usize>()
    };
    let mut shown = natural.len();
    while shown > 1 && least(&natural[..shown]) > width {
        shown -= 1;
    }
    let natural = &natural[..shown];
    let room = width.saturating_sub(GAP * shown.saturating_sub(1)).max(1);
    // The widest columns are cut to one common width.
    let mut level = natural.iter().copied().max().unwrap_or(0).min(room);
    while level > 1 && natural.iter().map(|width| (*width).min(level)).sum::<usize>() > room {
        level -= 1;
    }
    natural.iter().map(|width| (*width).min(level)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(cell: &Cell, styled: bool) -> String {
        let mut out = String::new();
        cell.write(styled, &mut out);
        out
    }

    fn shown(table: &Table, width: usize) -> (String, Vec<usize>) {
        let mut out = Vec::new();
        let left_out = table.write(width, false, &mut out).unwrap();
        (String::from_utf8(out).unwrap(), left_out)
    }

    #[test]
    fn control_characters_are_not_shown() {
        assert_eq!(text(&Cell::new(" a\u{1b}[31mb\r\n\tc \u{202e}"), true), "a [31mb c");
    }

    #[test]
    fn wide_columns_give_way_and_the_last_ones_are_left_out() {
        let mut table =
            Table::new(&[("id", Align::Right), ("title", Align::Left), ("text", Align::Left)]);
        table.row(vec![Cell::new("1"), Cell::new("Carol"), Cell::new(&"word ".repeat(20))]);
        table.row(vec![Cell::new("12"), Cell::new("映画"), Cell::new("short")]);
        let (text, left_out) = shown(&table, 30);
        assert_eq!(text, "id  title  text\n 1  Carol  word word word wor…\n12  映画   short\n");
        assert!(left_out.is_empty());
        let (text, left_out) = shown(&table, 12);
        assert_eq!(text, "id  title\n 1  Carol\n12  映画\n");
        assert_eq!(left_out, [2]);
    }

    #[test]
    fn a_cut_cell_shows_its_match() {
        let long = format!("{}{BOLD}needle{PLAIN} and more hay", "hay ".repeat(30));
        let fit_to = Cell::new(&long).fit_to(24);
        assert_eq!(text(&fit_to, false), "…hay hay needle and mor…");
        assert!(text(&fit_to, true).contains("\u{1b}[1mneedle\u{1b}[0m"));
    }
}
