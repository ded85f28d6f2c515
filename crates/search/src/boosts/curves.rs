//! The curves of boosts: they map a distance or a value to a number from 0 to 1.

use settings::boosts::{Fall, FallCurve, Growth};

/// Returns 1 up to the offset, then less.
pub(super) fn fallen(fall: &Fall, distance: f64) -> f64 {
    let scales = (distance - fall.offset).max(0.0) / fall.scale;
    let share = match fall.curve {
        FallCurve::Exp => fall.decay.powf(scales),
        FallCurve::Gauss => fall.decay.powf(scales * scales),
        FallCurve::Linear => 1.0 - (1.0 - fall.decay) * scales,
    };
    bounded(share)
}

/// Returns 1 for the maximum and more, 0 for 0 and less.
pub(super) fn grown(growth: Growth, value: f64, max: f64) -> f64 {
    if max <= 0.0 {
        return 0.0;
    }
    let value = value.clamp(0.0, max);
    bounded(match growth {
        Growth::Linear => value / max,
        Growth::Log => value.ln_1p() / max.ln_1p(),
        Growth::Sqrt => (value / max).sqrt(),
    })
}

/// Clamps a share; NaN, the quotient of two extreme numbers, counts as 0.
fn bounded(share: f64) -> f64 {
    if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn falls_pass_through_their_decay() {
        for (curve, at_two_scales) in
            [(FallCurve::Exp, 0.0625), (FallCurve::Gauss, 0.003_906_25), (FallCurve::Linear, 0.0)]
        {
            let fall = Fall { curve, scale: 10.0, offset: 5.0, decay: 0.25 };
            for (distance, expected) in
                [(0.0, 1.0), (5.0, 1.0), (15.0, 0.25), (25.0, at_two_scales), (1e308, 0.0)]
            {
                let found = fallen(&fall, distance);
                assert!((found - expected).abs() < 1e-12, "{curve:?} {distance}: {found}");
            }
        }
    }

    #[test]
    fn values_grow_from_nothing_to_the_maximum() {
        for (growth, middle) in
            [(Growth::Linear, 0.25), (Growth::Log, 26f64.ln() / 101f64.ln()), (Growth::Sqrt, 0.5)]
        {
            for (value, expected) in
                [(-3.0, 0.0), (0.0, 0.0), (25.0, middle), (100.0, 1.0), (1e9, 1.0)]
            {
                let found = grown(growth, value, 100.0);
                assert!((found - expected).abs() < 1e-12, "{growth:?} {value}: {found}");
            }
            assert_eq!(grown(growth, 3.0, 0.0), 0.0);
            assert_eq!(grown(growth, -3.0, -1.0), 0.0);
            // Too small for its logarithm, too large for its square.
            assert!((0.0..=1.0).contains(&grown(growth, f64::MAX, f64::MAX)));
            assert!((0.0..=1.0).contains(&grown(growth, 5e-324, 5e-324)));
        }
        let tiny = Fall { curve: FallCurve::Gauss, scale: 5e-324, offset: 0.0, decay: 0.5 };
        assert_eq!(fallen(&tiny, 0.0), 1.0);
        assert_eq!(fallen(&tiny, 1.0), 0.0);
    }
}
