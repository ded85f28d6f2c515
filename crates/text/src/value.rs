//! The forms of a whole value, by which filters, sorting and facets compare: the value form, which
//! ignores case and blanks around it, and the folded form, which facet searches look for and
//! which ignores accents too.

use charabia::StrDetection;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkd_quick};

use crate::normalize::Treatment;

/// Bytes of a value form; what is longer is cut.
pub const LONGEST_VALUE: usize = 468;

/// Trimmed, decomposed, in lower case, cut.
pub fn value_form(text: &str, out: &mut String) {
    out.clear();
    let text = text.trim();
    if text.is_ascii() {
        out.push_str(&text[..text.len().min(LONGEST_VALUE)]);
        out.make_ascii_lowercase();
        return;
    }
    // No character becomes less than a quarter of its bytes, so nothing behind this can count.
    let text = cut(text, 4 * LONGEST_VALUE);
    if is_nfkd_quick(text.chars()) == IsNormalized::Yes {
        out.push_str(&text.to_lowercase());
    } else {
        out.push_str(&text.nfkd().collect::<String>().to_lowercase());
    }
    let end = cut(out, LONGEST_VALUE).len();
    out.truncate(end);
}

/// A value form without accents and the like, as words are normalised.
pub fn fold(value: &str, out: &mut String) {
    if value.is_ascii() {
        out.clear();
        out.push_str(value);
        return;
    }
    let mut detection = StrDetection::new(value, None);
    let (script, language) = (detection.script(), detection.language());
    Treatment::new(script, language).lemma(value, out);
}

fn cut(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most.min(text.len()))]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(text: &str) -> String {
        let mut out = "before".to_owned();
        value_form(text, &mut out);
        out
    }

    #[test]
    fn case_blanks_and_compatibility_do_not_count() {
        for same in ["Red", " RED ", "\u{ff32}\u{ff25}\u{ff24}", "red\n"] {
            assert_eq!(form(same), "red");
        }
        assert_eq!(form("réd"), "re\u{301}d");
        assert_eq!(form("re\u{301}d"), "re\u{301}d");
        assert_eq!(form("ﬁsh"), "fish");
        assert_eq!(form("straße"), "straße");
        assert_eq!(form("ΣΊΣΥΦΟΣ"), form("σίσυφος"));
        assert_eq!(form("   "), "");
        assert_eq!(form("a  b"), "a  b");
    }

    #[test]
    fn long_values_are_cut_between_characters() {
        assert_eq!(form(&"A".repeat(1000)), "a".repeat(468));
        assert_eq!(form(&"日".repeat(1000)), "日".repeat(156));
        assert_eq!(form(&"İ".repeat(1000)).len(), 468);
        let mixed = format!("a{}", "日".repeat(1000));
        assert_eq!(form(&mixed).len(), 1 + 3 * 155);
    }

    #[test]
    fn accents_are_folded() {
        let mut out = String::new();
        for (value, expected) in [
            ("cafe\u{301}", "cafe"),
            ("cafe", "cafe"),
            ("été à", "ete a"),
            ("", ""),
            ("ёлка", "е\u{308}лка"),
        ] {
            fold(value, &mut out);
            assert_eq!(out, expected);
        }
    }
}
