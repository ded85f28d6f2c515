//! The codes by which a user names a language: two letters, three letters, and `cmn`. The table is
//! sorted by three-letter code, the order in which messages about JSON bodies list them.

use charabia::Language;

/// Two letters (ISO 639-1), three letters (ISO 639-2/T, but Persian is `pes`), the language.
const LOCALES: [(&str, &str, Language); 69] = [
    ("af", "afr", Language::Afr),
    ("ak", "aka", Language::Aka),
    ("am", "amh", Language::Amh),
    ("ar", "ara", Language::Ara),
    ("az", "aze", Language::Aze),
    ("be", "bel", Language::Bel),
    ("bn", "ben", Language::Ben),
    ("bg", "bul", Language::Bul),
    ("ca", "cat", Language::Cat),
    ("cs", "ces", Language::Ces),
    ("da", "dan", Language::Dan),
    ("de", "deu", Language::Deu),
    ("el", "ell", Language::Ell),
    ("en", "eng", Language::Eng),
    ("eo", "epo", Language::Epo),
    ("et", "est", Language::Est),
    ("fi", "fin", Language::Fin),
    ("fr", "fra", Language::Fra),
    ("gu", "guj", Language::Guj),
    ("he", "heb", Language::Heb),
    ("hi", "hin", Language::Hin),
    ("hr", "hrv", Language::Hrv),
    ("hu", "hun", Language::Hun),
    ("hy", "hye", Language::Hye),
    ("id", "ind", Language::Ind),
    ("it", "ita", Language::Ita),
    ("jv", "jav", Language::Jav),
    ("ja", "jpn", Language::Jpn),
    ("kn", "kan", Language::Kan),
    ("ka", "kat", Language::Kat),
    ("km", "khm", Language::Khm),
    ("ko", "kor", Language::Kor),
    ("la", "lat", Language::Lat),
    ("lv", "lav", Language::Lav),
    ("lt", "lit", Language::Lit),
    ("ml", "mal", Language::Mal),
    ("mr", "mar", Language::Mar),
    ("mk", "mkd", Language::Mkd),
    ("my", "mya", Language::Mya),
    ("ne", "nep", Language::Nep),
    ("nl", "nld", Language::Nld),
    ("nb", "nob", Language::Nob),
    ("or", "ori", Language::Ori),
    ("pa", "pan", Language::Pan),
    ("fa", "pes", Language::Pes),
    ("pl", "pol", Language::Pol),
    ("pt", "por", Language::Por),
    ("ro", "ron", Language::Ron),
    ("ru", "rus", Language::Rus),
    ("si", "sin", Language::Sin),
    ("sk", "slk", Language::Slk),
    ("sl", "slv", Language::Slv),
    ("sn", "sna", Language::Sna),
    ("es", "spa", Language::Spa),
    ("sr", "srp", Language::Srp),
    ("sv", "swe", Language::Swe),
    ("ta", "tam", Language::Tam),
    ("te", "tel", Language::Tel),
    ("tl", "tgl", Language::Tgl),
    ("th", "tha", Language::Tha),
    ("tk", "tuk", Language::Tuk),
    ("tr", "tur", Language::Tur),
    ("uk", "ukr", Language::Ukr),
    ("ur", "urd", Language::Urd),
    ("uz", "uzb", Language::Uzb),
    ("vi", "vie", Language::Vie),
    ("yi", "yid", Language::Yid),
    ("zh", "zho", Language::Zho),
    ("zu", "zul", Language::Zul),
];

/// Mandarin has its own name beside `zho`, and no two-letter code.
const MANDARIN: &str = "cmn";

/// Returns the language of a code of two or three lower-case letters.
pub fn parse(code: &str) -> Option<Language> {
    if code == MANDARIN {
        return Some(Language::Cmn);
    }
    LOCALES.iter().find(|(two, three, _)| *two == code || *three == code).map(|row| row.2)
}

/// Returns the canonical code of a language.
pub fn three_letter(language: Language) -> &'static str {
    language.code()
}

/// Returns every code in the order of messages about JSON bodies: the two-letter codes in the order
/// of their three-letter forms, then those, then `cmn`.
pub fn codes() -> impl Iterator<Item = &'static str> {
    let two = LOCALES.iter().map(|row| row.0);
    let three = LOCALES.iter().map(|row| row.1);
    two.chain(three).chain([MANDARIN])
}

/// Returns every code in the order of messages about query strings: the two-letter codes, then the
/// three-letter ones with `cmn`, each sorted.
pub fn sorted_codes() -> Vec<&'static str> {
    let mut two: Vec<_> = LOCALES.iter().map(|row| row.0).collect();
    let mut three: Vec<_> = LOCALES.iter().map(|row| row.1).chain([MANDARIN]).collect();
    two.sort_unstable();
    three.sort_unstable();
    two.append(&mut three);
    two
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_in_both_lengths_name_the_same_language() {
        for (two, three, language) in LOCALES {
            assert_eq!(parse(two), Some(language));
            assert_eq!(parse(three), Some(language));
            assert_eq!(three_letter(language), three);
        }
        assert_eq!(parse("zh"), Some(Language::Zho));
        assert_eq!(parse("cmn"), Some(Language::Cmn));
        assert_eq!(three_letter(Language::Cmn), "cmn");
        assert_eq!(parse("fa"), Some(Language::Pes));
    }

    #[test]
    fn anything_else_is_no_code() {
        for code in ["", "zz", "EN", "fas", "english", "en-US", " en"] {
            assert_eq!(parse(code), None, "{code}");
        }
    }

    #[test]
    fn the_order_of_json_messages() {
        let codes: Vec<_> = codes().collect();
        assert_eq!(codes.len(), 139);
        assert_eq!(codes[..9], ["af", "ak", "am", "ar", "az", "be", "bn", "bg", "ca"]);
        assert_eq!(codes[67..71], ["zh", "zu", "afr", "aka"]);
        assert_eq!(codes[136..], ["zho", "zul", "cmn"]);
    }

    #[test]
    fn the_order_of_query_string_messages() {
        let codes = sorted_codes();
        assert_eq!(codes.len(), 139);
        assert_eq!(codes[..9], ["af", "ak", "am", "ar", "az", "be", "bg", "bn", "ca"]);
        assert_eq!(codes[78..81], ["ces", "cmn", "dan"]);
    }
}
