//! What every plot is drawn on: a white SVG with text and lines.

use std::fmt::Write;

/// Colours that can be told apart, also without seeing red or green.
pub const COLOURS: [&str; 9] = [
    "#1b6ca8", "#e07b39", "#4a8c5d", "#a03e65", "#7a6bb5", "#8a6d3b", "#3aa6a6", "#555555",
    "#c2a83e",
];

pub struct Canvas {
    svg: String,
}

impl Canvas {
    pub fn new(width: f64, height: f64, title: &str) -> Self {
        let svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"13\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
        );
        let mut canvas = Canvas { svg };
        canvas.text(16.0, 24.0, "start", title, "font-weight=\"bold\"");
        canvas
    }

    pub fn text(&mut self, x: f64, y: f64, anchor: &str, content: &str, more: &str) {
        let content = content.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let _ = writeln!(
            self.svg,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" {more}>{content}</text>"
        );
    }

    pub fn rectangle(&mut self, x: f64, y: f64, width: f64, height: f64, colour: &str) {
        let _ = writeln!(
            self.svg,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" \
             fill=\"{colour}\"/>"
        );
    }

    pub fn line(&mut self, points: &[(f64, f64)], colour: &str, more: &str) {
        let points: Vec<_> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let _ = writeln!(
            self.svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" {more}/>",
            points.join(" ")
        );
    }

    pub fn dot(&mut self, x: f64, y: f64, colour: &str) {
        let _ =
            writeln!(self.svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\" fill=\"{colour}\"/>");
    }

    pub fn finish(mut self) -> String {
        self.svg.push_str("</svg>\n");
        self.svg
    }
}
