//! Bars side by side, lying: one group a set, one bar a side.

use super::canvas::{COLOURS, Canvas};

const LABEL_WIDTH: f64 = 110.0;
const LONGEST: f64 = 460.0;
const BAR_HEIGHT: f64 = 18.0;
const TOP: f64 = 64.0;

pub struct Group {
    pub name: String,
    /// One a side.
    pub values: Vec<f64>,
}

/// `None` where there is nothing to show.
pub fn svg(title: &str, sides: &[&str], groups: &[Group]) -> Option<String> {
    let values = groups.iter().flat_map(|group| &group.values);
    let most = values.copied().fold(0.0, f64::max);
    if most <= 0.0 {
        return None;
    }
    let group_height = sides.len() as f64 * BAR_HEIGHT + 14.0;
    let height = TOP + groups.len() as f64 * group_height + 8.0;
    let mut canvas = Canvas::new(LABEL_WIDTH + LONGEST + 90.0, height, title);
    for (number, side) in sides.iter().enumerate() {
        let x = LABEL_WIDTH + number as f64 * 120.0;
        canvas.rectangle(x, 38.0, 12.0, 12.0, COLOURS[number % COLOURS.len()]);
        canvas.text(x + 18.0, 49.0, "start", side, "");
    }
    for (number, group) in groups.iter().enumerate() {
        let top = TOP + number as f64 * group_height;
        let middle = top + sides.len() as f64 * BAR_HEIGHT / 2.0 + 4.0;
        canvas.text(LABEL_WIDTH - 10.0, middle, "end", &group.name, "");
        for (side, value) in group.values.iter().enumerate() {
            let y = top + side as f64 * BAR_HEIGHT;
            let width = value / most * LONGEST;
            let colour = COLOURS[side % COLOURS.len()];
            canvas.rectangle(LABEL_WIDTH, y, width, BAR_HEIGHT - 3.0, colour);
            let label = format!("{value:.2}");
            canvas.text(LABEL_WIDTH + width + 6.0, y + BAR_HEIGHT - 6.0, "start", &label, "");
        }
    }
    Some(canvas.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_bar_fills_the_width_and_the_others_follow() {
        let groups = [Group { name: "set".to_owned(), values: vec![2.0, 1.0] }];
        let svg = svg("title", &["a", "b"], &groups).unwrap();
        assert!(svg.contains("width=\"460.0\"") && svg.contains("width=\"230.0\""), "{svg}");
    }

    #[test]
    fn nothing_measured_gives_no_plot() {
        assert!(svg("title", &["a"], &[]).is_none());
    }
}
