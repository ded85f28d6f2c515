//! The forms of a whole value, by which filters, sorting and facets compare: the value form, which
//! ignores case and surrounding blanks, and the folded form of facet searches, which also ignores
//! accents as far as the language of the value allows.

use charabia::{Language, Script, StrDetection};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkd_quick};

use crate::normalize::Treatment;

/// Maximum length of a value form in bytes; longer ones are truncated.
pub const LONGEST_VALUE: usize = 468;

/// Writes the value form: trimmed, decomposed, in lower case, truncated.
pub fn value_form(text: &str, out: &mut String) {
    out.clear();
    let text = text.trim();
    if text.is_ascii() {
        out.push_str(&text[..text.len().min(LONGEST_VALUE)]);
        out.make_ascii_lowercase();
        return;
    }
    // No character shrinks to less than a quarter of its bytes, so later text cannot count.
    let text = cut(text, 4 * LONGEST_VALUE);
    if is_nfkd_quick(text.chars()) == IsNormalized::Yes {
        out.push_str(&text.to_lowercase());
    } else {
        out.push_str(&text.nfkd().collect::<String>().to_lowercase());
    }
    let end = cut(out, LONGEST_VALUE).len();
    out.truncate(end);
}

/// Folds a value form: removes accents and the like, as words are normalised.
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

/// Folds a value form of a text in the named languages. A single language is imposed; of several,
/// one is detected. Without languages it is the same as [`fold`].
pub fn fold_in(value: &str, languages: &[Language], out: &mut String) {
    if languages.is_empty() || value.is_ascii() {
        return fold(value, out);
    }
    let mut detection = StrDetection::new(value, Some(languages));
    let script = detection.script();
    let language = match languages {
        [language] => Some(*language),
        _ => detection.language(),
    };
    let treatment = match (script, language) {
        (Script::Cj, Some(Language::Jpn)) => Treatment::japanese(),
        _ => Treatment::new(script, language),
    };
    treatment.lemma(value, out);
}

/// Returns whether values of these languages have the folded form that [`fold`] returns, as long as
/// they are in Latin letters or in those of a script with one treatment.
pub fn folds_alike(languages: &[Language]) -> bool {
    !languages.iter().any(|language| {
        matches!(
            language,
            Language::Swe
                | Language::Jpn
                | Language::Cmn
                | Language::Zho
                | Language::Ara
                | Language::Pes
        )
    })
}

/// Returns whether folding a text depends on its language among languages that otherwise fold
/// alike.
pub fn has_shared_script(text: &str) -> bool {
    !text.is_ascii() && text.chars().any(|c| matches!(Script::from(c), Script::Cj | Script::Arabic))
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
    fn a_language_decides_what_is_folded() {
        let mut out = String::new();
        for (value, languages, expected) in [
            ("tra\u{308}d", &[][..], "trad"),
            ("tra\u{308}d", &[Language::Swe], "träd"),
            ("cafe\u{301}", &[Language::Swe], "cafe"),
            ("tra\u{308}d", &[Language::Eng], "trad"),
            ("进击", &[Language::Jpn], "进击"),
            ("トマト", &[Language::Jpn], "とまと"),
            ("trad", &[Language::Swe], "trad"),
        ] {
            fold_in(value, languages, &mut out);
            assert_eq!(out, expected, "{value} {languages:?}");
        }
        let mut chinese = String::new();
        fold_in("进击", &[Language::Cmn], &mut chinese);
        fold("进击", &mut out);
        assert_eq!(chinese, out);
        assert_ne!(chinese, "进击");
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
