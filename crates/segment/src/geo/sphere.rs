//! Points and distances on the Earth, modelled as a sphere. Degrees are any finite numbers: beyond
//! a pole or the antimeridian they continue around the sphere.
//!
//! Trees compare points in space: chords through the Earth have the same order as distances over
//! it, without special cases at the poles or the antimeridian.

use std::f64::consts::FRAC_PI_2;

/// Mean radius in metres; users see distances to the millimetre.
const RADIUS: f64 = 6_371_000.0;

/// Distances are rounded to millimetres, by at most this.
const ROUNDING: f64 = 0.001;
/// Upper bound of the rounding error from degrees to a chord of the unit sphere.
const CHORD_ERROR: f64 = 1e-12;

/// A place on the Earth, in degrees.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    pub lat: f64,
    pub lng: f64,
}

/// Returns the metres along the great circle, to the millimetre.
pub fn distance(from: Point, to: Point) -> f64 {
    let haversine = haversine(from.radians(), to.radians()).clamp(0.0, 1.0);
    let metres = 2.0 * RADIUS * haversine.sqrt().atan2((1.0 - haversine).sqrt());
    (metres * 1000.0).round() / 1000.0
}

/// Returns the squared half chord between two places, in radians, on the unit sphere.
pub fn haversine((from_lat, from_lng): (f64, f64), (to_lat, to_lng): (f64, f64)) -> f64 {
    let lat = ((to_lat - from_lat) / 2.0).sin();
    let lng = ((to_lng - from_lng) / 2.0).sin();
    lat * lat + from_lat.cos() * to_lat.cos() * lng * lng
}

impl Point {
    /// Returns latitude and longitude in radians, without whole turns to keep differences finite.
    pub fn radians(self) -> (f64, f64) {
        ((self.lat % 360.0).to_radians(), (self.lng % 360.0).to_radians())
    }

    /// Returns its position in space, on a sphere of radius 1.
    pub fn in_space(self) -> [f64; 3] {
        let (lat, lng) = self.radians();
        let ((up, out), (east, ahead)) = (lat.sin_cos(), lng.sin_cos());
        [out * ahead, out * east, up]
    }

    pub fn is_finite(self) -> bool {
        self.lat.is_finite() && self.lng.is_finite()
    }
}

/// Returns the angle at the centre of the Earth, in radians; at most half a turn.
pub fn angle(metres: f64) -> f64 {
    (metres / RADIUS).min(2.0 * FRAC_PI_2)
}

/// Returns whether no point on the Earth is farther away.
pub fn reaches_everything(metres: f64) -> bool {
    metres >= 2.0 * FRAC_PI_2 * RADIUS
}

/// Returns an upper bound of the angle of two points within this distance.
pub fn angle_at_least(metres: f64) -> f64 {
    angle(metres + ROUNDING)
}

/// Returns an upper bound of the chord of two points within this distance.
pub fn chord_at_least(metres: f64) -> f64 {
    2.0 * (angle_at_least(metres) / 2.0).sin() + CHORD_ERROR
}

/// Returns a chord such that any two points with at most this chord are within the distance.
/// Negative if there may be none.
pub fn chord_at_most(metres: f64) -> f64 {
    2.0 * (angle(metres - ROUNDING) / 2.0).sin() - CHORD_ERROR
}

/// Returns a lower bound of the distance of two points with at least this chord.
pub fn metres_at_least(chord: f64) -> f64 {
    2.0 * RADIUS * ((chord - CHORD_ERROR) / 2.0).clamp(0.0, 1.0).asin() - ROUNDING
}

/// Returns an upper bound of the distance of two points with at most this chord.
pub fn metres_at_most(chord: f64) -> f64 {
    2.0 * RADIUS * ((chord + CHORD_ERROR) / 2.0).clamp(0.0, 1.0).asin() + ROUNDING
}

/// Returns an upper bound of [`haversine`] for all that [`distance`] puts within these metres.
pub fn haversine_at_most(metres: f64) -> f64 {
    (angle(metres + ROUNDING / 2.0) / 2.0).sin().powi(2)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(lat: f64, lng: f64) -> Point {
        Point { lat, lng }
    }

    #[test]
    fn distances_are_those_that_users_were_told() {
        let zero = at(0.0, 0.0);
        assert_eq!(distance(zero, zero), 0.0);
        assert_eq!(distance(zero, at(45.75, 4.85)), 5_109_352.427);
        assert_eq!(distance(zero, at(45.764, 4.8357)), 5_110_768.082);
        let opposite = at(0.0, 180.0);
        assert_eq!(distance(opposite, at(-13.8333, -171.75)).round(), 1_786_378.0);
        assert_eq!(distance(opposite, at(-36.8485, 174.7633)).round(), 4_132_719.0);
        assert_eq!(distance(opposite, at(52.52, 13.405)).round(), 14_043_078.0);
        assert_eq!(distance(opposite, zero).round(), 20_015_087.0);
    }

    #[test]
    fn coordinates_out_of_range_continue_around_the_earth() {
        let beyond_pole = at(91.0, 0.0);
        assert!(distance(beyond_pole, at(89.0, 180.0)) < 0.01);
        assert!(distance(at(0.0, 181.0), at(0.0, -179.0)) < 0.01);
        assert!(distance(at(0.0, 721.0), at(0.0, 1.0)) < 0.01);
        assert!(distance(at(f64::MAX, f64::MIN), at(f64::MIN, f64::MAX)).is_finite());
    }

    fn degrees() -> impl Strategy<Value = f64> {
        prop_oneof![-400.0..400.0, Just(0.0), Just(90.0), Just(-90.0), Just(180.0), Just(-180.0)]
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn chords_bound_distances(
            (lat, lng) in (degrees(), degrees()),
            (step_lat, step_lng) in (degrees(), degrees()),
            shrink in 0_u32..14,
            opposite: bool,
        ) {
            // Close to each other or nearly opposite, where rounding matters.
            let scale = 10_f64.powi(-(shrink as i32));
            let from = at(lat, lng);
            let mut to = at(lat + step_lat * scale, lng + step_lng * scale);
            if opposite {
                to = at(-to.lat, to.lng + 180.0);
            }
            let metres = distance(from, to);
            let chord = (0..3)
                .map(|axis| (from.in_space()[axis] - to.in_space()[axis]).powi(2))
                .sum::<f64>()
                .sqrt();
            prop_assert!(metres_at_least(chord) <= metres);
            prop_assert!(metres_at_most(chord) >= metres);
            prop_assert!(chord_at_least(metres) >= chord);
            prop_assert!(chord_at_most(metres) <= chord);
            prop_assert!(haversine(from.radians(), to.radians()) <= haversine_at_most(metres) + 1e-15);
        }
    }
}
