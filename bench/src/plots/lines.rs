//! A chart of lines with its axes, each linear or logarithmic, and a legend.

use super::canvas::{COLOURS, Canvas};

const LEFT: f64 = 70.0;
const TOP: f64 = 44.0;
const WIDTH: f64 = 520.0;
const HEIGHT: f64 = 320.0;
const LEGEND_WIDTH: f64 = 250.0;
/// About so many marks on a linear axis.
const MARKS: f64 = 6.0;

pub struct Axis {
    pub label: &'static str,
    pub logarithmic: bool,
}

pub struct Series {
    pub name: String,
    pub points: Vec<(f64, f64)>,
    pub dashed: bool,
}

pub struct Chart {
    pub title: &'static str,
    pub x: Axis,
    pub y: Axis,
    pub series: Vec<Series>,
}

/// From values to places along an axis.
struct Scale {
    low: f64,
    high: f64,
    logarithmic: bool,
}

impl Chart {
    /// `None` where no series has a point.
    pub fn svg(&self) -> Option<String> {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let x = Scale::over(points().map(|point| point.0), self.x.logarithmic)?;
        let y = Scale::over(points().map(|point| point.1), self.y.logarithmic)?;
        let place = |point: &(f64, f64)| {
            Some((LEFT + x.share(point.0)? * WIDTH, TOP + (1.0 - y.share(point.1)?) * HEIGHT))
        };
        let full_width = LEFT + WIDTH + LEGEND_WIDTH;
        let mut canvas = Canvas::new(full_width, TOP + HEIGHT + 52.0, self.title);
        for mark in x.marks() {
            let Some(share) = x.share(mark) else { continue };
            let at = LEFT + share * WIDTH;
            canvas.line(&[(at, TOP), (at, TOP + HEIGHT)], "#e4e4e4", "");
            canvas.text(at, TOP + HEIGHT + 18.0, "middle", &short(mark), "fill=\"#666666\"");
        }
        for mark in y.marks() {
            let Some(share) = y.share(mark) else { continue };
            let at = TOP + (1.0 - share) * HEIGHT;
            canvas.line(&[(LEFT, at), (LEFT + WIDTH, at)], "#e4e4e4", "");
            canvas.text(LEFT - 8.0, at + 4.0, "end", &short(mark), "fill=\"#666666\"");
        }
        let below = TOP + HEIGHT + 40.0;
        canvas.text(LEFT + WIDTH / 2.0, below, "middle", self.x.label, "fill=\"#666666\"");
        canvas.text(LEFT - 8.0, TOP - 8.0, "end", self.y.label, "fill=\"#666666\"");
        for (number, series) in self.series.iter().enumerate() {
            let colour = COLOURS[number % COLOURS.len()];
            let style = match series.dashed {
                true => "stroke-width=\"2\" stroke-dasharray=\"5 4\"",
                false => "stroke-width=\"2.5\"",
            };
            let places: Vec<_> = series.points.iter().filter_map(place).collect();
            canvas.line(&places, colour, style);
            for (x, y) in places {
                canvas.dot(x, y, colour);
            }
            let (left, at) = (LEFT + WIDTH + 20.0, TOP + 10.0 + number as f64 * 20.0);
            canvas.line(&[(left, at), (left + 26.0, at)], colour, style);
            canvas.text(left + 34.0, at + 4.0, "start", &series.name, "");
        }
        Some(canvas.finish())
    }
}

impl Scale {
    fn over(values: impl Iterator<Item = f64>, logarithmic: bool) -> Option<Self> {
        let usable = values.filter(|value| value.is_finite() && (!logarithmic || *value > 0.0));
        let (low, high) = usable.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        if low > high {
            return None;
        }
        Some(match logarithmic {
            // Whole powers of ten at both ends.
            true => {
                let (first, last) = (low.log10().floor(), high.log10().ceil());
                let last = if first < last { last } else { first + 1.0 };
                Scale { low: 10_f64.powf(first), high: 10_f64.powf(last), logarithmic }
            }
            false if low < high => Scale { low, high, logarithmic },
            false => Scale { low: low - 0.5, high: high + 0.5, logarithmic },
        })
    }

    /// Where `value` lies, 0 at the low end and 1 at the high one; `None` for what has no place.
    fn share(&self, value: f64) -> Option<f64> {
        let along = |value: f64| if self.logarithmic { value.log10() } else { value };
        let share = (along(value) - along(self.low)) / (along(self.high) - along(self.low));
        share.is_finite().then_some(share)
    }

    fn marks(&self) -> Vec<f64> {
        if self.logarithmic {
            let (first, last) = (self.low.log10().round() as i32, self.high.log10().round() as i32);
            return (first..=last).map(|power| 10_f64.powi(power)).collect();
        }
        let rough = (self.high - self.low) / MARKS;
        let power = 10_f64.powf(rough.log10().floor());
        let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * power);
        let step = steps.into_iter().find(|step| *step >= rough).unwrap_or(rough);
        let first = (self.low / step).ceil() as i64;
        let last = (self.high / step).floor() as i64;
        (first..=last).map(|number| number as f64 * step).collect()
    }
}

/// A mark in few characters.
fn short(value: f64) -> String {
    match value.abs() {
        v if v >= 1e6 => format!("{}M", value / 1e6),
        v if v >= 1e3 => format!("{}k", value / 1e3),
        v if v == v.trunc() => format!("{value}"),
        _ => format!("{value:.3}").trim_end_matches('0').to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_logarithmic_axis_ends_at_powers_of_ten() {
        let scale = Scale::over([20.0, 4_000.0].into_iter(), true).unwrap();
        assert_eq!(scale.marks(), [10.0, 100.0, 1_000.0, 10_000.0]);
        assert!((scale.share(100.0).unwrap() - 1.0 / 3.0).abs() < 1e-9);
        assert!(scale.share(0.0).is_none());
    }

    #[test]
    fn a_linear_axis_has_round_marks_inside_its_values() {
        let scale = Scale::over([0.93, 1.0].into_iter(), false).unwrap();
        let marks: Vec<_> = scale.marks().iter().map(|mark| short(*mark)).collect();
        assert_eq!(marks, ["0.94", "0.96", "0.98", "1"]);
    }

    #[test]
    fn a_chart_without_a_point_is_not_drawn() {
        let axis = |label| Axis { label, logarithmic: true };
        let series = vec![Series { name: "none".to_owned(), points: vec![], dashed: false }];
        assert!(Chart { title: "", x: axis("x"), y: axis("y"), series }.svg().is_none());
    }
}
