//! Sort order of the trees: along a Hilbert curve over the map, which keeps neighbours close.

use super::sphere::Point;

/// Returns the position of a point on the curve, the same for all turns around the Earth.
pub fn place_on_curve(point: Point) -> u64 {
    // From the middle of the cells on: both are in (-360, 360).
    let cell = |degrees: f64| ((degrees % 360.0 + 360.0) / 720.0 * 4_294_967_296.0) as u32;
    curve(cell(point.lng), cell(point.lat))
}

/// Returns the position of a cell on the curve through all cells.
fn curve(mut x: u32, mut y: u32) -> u64 {
    let mut place = 0;
    for bit in (0..u32::BITS).rev() {
        let (right, up) = (x >> bit & 1, y >> bit & 1);
        place = place << 2 | u64::from((3 * right) ^ up);
        // The quarters at the bottom are rotated.
        if up == 0 {
            if right == 1 {
                (x, y) = (!x, !y);
            }
            (x, y) = (y, x);
        }
    }
    place
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_on_the_curve_are_neighbours_on_the_map() {
        const SIDE: u32 = 16;
        let mut cells: Vec<(u64, u32, u32)> =
            (0..SIDE).flat_map(|x| (0..SIDE).map(move |y| (curve(x, y), x, y))).collect();
        cells.sort_unstable();
        for pair in cells.windows(2) {
            let ((place, x, y), (next, next_x, next_y)) = (pair[0], pair[1]);
            assert_eq!(place + 1, next);
            assert_eq!(x.abs_diff(next_x) + y.abs_diff(next_y), 1);
        }
    }

    #[test]
    fn any_number_has_a_place() {
        for lat in [0.0, -0.0, 90.0, -1e300, f64::MAX, 359.999_999_999] {
            place_on_curve(Point { lat, lng: -lat });
        }
    }
}
