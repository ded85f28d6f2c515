use super::*;

fn close(found: f32, expected: f64, tolerance: f64) {
    assert!((f64::from(found) - expected).abs() <= tolerance, "{found} is not {expected}");
}

#[test]
fn exp_has_seven_digits_and_ends_softly() {
    for step in -870..=880 {
        let x = step as f32 / 10.0;
        close(exp(x) / (f64::from(x).exp() as f32), 1.0, 4e-7);
    }
    assert!(exp(-1000.0) < 1e-37);
    assert!(exp(1000.0).is_finite());
}

#[test]
fn gelu_is_that_of_the_error_function() {
    // x, then x * (1 + erf(x / sqrt 2)) / 2.
    let known = [
        (-6.0, -5.919_526e-9),
        (-1.0, -0.158_655_253_9),
        (-0.1, -0.046_017_216_3),
        (0.0, 0.0),
        (0.5, 0.345_731_230_6),
        (2.0, 1.954_499_736),
        (9.0, 9.0),
    ];
    for (x, expected) in known {
        close(gelu(x), expected, 1e-6);
    }
}

#[test]
fn bias_and_activation_go_to_each_row() {
    let mut values = vec![0.0, 0.0, 1.0, 1.0];
    add_bias(&mut values, &[1.0, -2.0]);
    assert_eq!(values, [1.0, -2.0, 2.0, -1.0]);
    let mut values = vec![0.0, 0.0, 1.0, 1.0];
    add_bias_gelu(&mut values, &[1.0, -2.0]);
    for (value, expected) in values.iter().zip([1.0, -2.0, 2.0, -1.0]) {
        assert_eq!(*value, gelu(expected));
    }
    assert_eq!(gated_gelu(&[1.0, 2.0, 3.0, 4.0], 2), [gelu(1.0) * 3.0, gelu(2.0) * 4.0]);
}

#[test]
fn rows_are_normalised() {
    let mut values: Vec<f32> = (0..38).map(|n| n as f32).collect();
    normalise(&mut values, &[2.0; 19], Some(&[1.0; 19]), 0.0);
    for row in values.chunks(19) {
        let mean = row.iter().sum::<f32>() / 19.0;
        close(mean, 1.0, 1e-6);
        let variance = row.iter().map(|value| (value - mean).powi(2)).sum::<f32>() / 19.0;
        close(variance, 4.0, 1e-5);
    }
}

#[test]
fn shares_sum_to_one_within_what_is_seen() {
    let mut values: Vec<f32> = (0..40).map(|n| (n * 7 % 13) as f32).collect();
    let plain = values.clone();
    softmax(&mut values, 20, 0.5, |row| if row == 0 { 0..20 } else { 3..7 });
    let (first, second) = values.split_at(20);
    close(first.iter().sum(), 1.0, 1e-6);
    close(second.iter().sum(), 1.0, 1e-6);
    assert!(second[..3].iter().chain(&second[7..]).all(|share| *share == 0.0));
    close(first[1] / first[0], f64::from((plain[1] - plain[0]) * 0.5).exp(), 1e-4);
}
