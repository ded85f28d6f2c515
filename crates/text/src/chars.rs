//! A table of characters: their script, whether they separate words, and their normal forms. It is
//! filled page by page, when a text first needs the page, by running charabia on each character
//! alone. That suffices because every rule of normalisation looks at one character at a time; the
//! few exceptions are marked and left to charabia.

use std::collections::HashSet;
use std::sync::{LazyLock, OnceLock};

use charabia::separators::DEFAULT_SEPARATORS;
use charabia::{Normalize, Script, Token};

use crate::class::Class;
use crate::options::{LOSSY, PLAIN};
use crate::separators::default_separator;
use crate::token::TokenKind;

const PAGE: usize = 256;
/// The planes with scripts and symbols. Beyond are rare ideographs and private use.
const PAGES: usize = 0x2_0000 / PAGE;

/// The effect of a character on cutting, by the default separators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CutClass {
    /// Part of the word.
    Inside,
    Soft,
    Hard,
    /// Cut out, but its normal form is no separator: a word of its own.
    Word,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct CharInfo {
    /// The script by which runs are cut, which is never Armenian, see `runs`.
    pub script: Script,
    pub cut: CutClass,
    /// A piece that begins with it may become a separator.
    pub may_separate: bool,
    /// Its normal form depends on its neighbours.
    unknown: bool,
    /// 0 if it never changes; otherwise one more than the index of its forms in the page.
    forms: u16,
}

/// The normal form of a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Same,
    Text(&'static str),
    /// The whole piece must be normalised by charabia.
    Unknown,
}

#[derive(Debug)]
pub(crate) struct Page {
    infos: Vec<CharInfo>,
    forms: Vec<[FormLocation; Class::ALL.len()]>,
    text: String,
}

/// The location of a form in the text of a page.
#[derive(Debug, Clone, Copy)]
enum FormLocation {
    Same,
    At { start: u16, len: u8 },
    Unknown,
}

static TABLE: [OnceLock<Page>; PAGES] = [const { OnceLock::new() }; PAGES];

const FAR: CharInfo = CharInfo {
    script: Script::Other,
    cut: CutClass::Inside,
    may_separate: false,
    unknown: true,
    forms: 0,
};

static SEPARATOR_CHARS: LazyLock<HashSet<char>> =
    LazyLock::new(|| DEFAULT_SEPARATORS.iter().flat_map(|text| text.chars()).collect());

pub(crate) fn info(c: char) -> CharInfo {
    let code = c as usize;
    match page(code) {
        Some(page) => page.infos[code % PAGE],
        None => FAR,
    }
}

pub(crate) fn form(c: char, class: Class) -> Form {
    let code = c as usize;
    let Some(page) = page(code) else { return Form::Unknown };
    let info = &page.infos[code % PAGE];
    if info.unknown {
        return Form::Unknown;
    }
    if info.forms == 0 {
        return Form::Same;
    }
    match page.forms[usize::from(info.forms) - 1][class as usize] {
        FormLocation::Same => Form::Same,
        FormLocation::At { start, len } => {
            let start = usize::from(start);
            page.text.get(start..start + usize::from(len)).map_or(Form::Unknown, Form::Text)
        }
        FormLocation::Unknown => Form::Unknown,
    }
}

fn page(code: usize) -> Option<&'static Page> {
    let number = code / PAGE;
    Some(TABLE.get(number)?.get_or_init(|| Page::build(number)))
}

impl Page {
    fn build(number: usize) -> Self {
        let mut page = Self { infos: Vec::with_capacity(PAGE), forms: vec![], text: String::new() };
        for code in number * PAGE..(number + 1) * PAGE {
            // Surrogates are no characters and never occur in a text.
            let info = u32::try_from(code).ok().and_then(char::from_u32);
            let info = info.map_or(FAR, |c| page.describe(c));
            page.infos.push(info);
        }
        page
    }

    fn describe(&mut self, c: char) -> CharInfo {
        let script = script(c);
        let own = c.to_string();
        let plain = alone(c, Class::Plain);
        let separates = |plain: &str| plain.chars().all(|c| SEPARATOR_CHARS.contains(&c));
        let cut = if !DEFAULT_SEPARATORS.contains(&own.as_str()) {
            CutClass::Inside
        } else {
            match default_separator(&plain) {
                Some(TokenKind::HardSeparator) => CutClass::Hard,
                Some(_) => CutClass::Soft,
                None => CutClass::Word,
            }
        };
        let places = Class::ALL.map(|class| {
            if !class.applies_to(script) {
                return FormLocation::Unknown;
            }
            let form = alone(c, class);
            if form == own { FormLocation::Same } else { self.keep(&form) }
        });
        let forms = if places.iter().all(|place| matches!(place, FormLocation::Same)) {
            0
        } else {
            self.forms.push(places);
            u16::try_from(self.forms.len()).unwrap_or(0)
        };
        CharInfo {
            script,
            cut,
            may_separate: separates(&plain),
            unknown: is_cased_by_neighbours(&plain),
            forms,
        }
    }

    fn keep(&mut self, form: &str) -> FormLocation {
        let start = self.text.len();
        match (u16::try_from(start), u8::try_from(form.len())) {
            (Ok(start), Ok(len)) => {
                self.text.push_str(form);
                FormLocation::At { start, len }
            }
            _ => FormLocation::Unknown,
        }
    }
}

/// Returns the normal form of one character inside a word: the following letter prevents a final
/// sigma.
fn alone(c: char, class: Class) -> String {
    let word = format!("{c}x");
    let options = if class == Class::Plain { &PLAIN } else { &LOSSY };
    let (script, language) = class.example().unwrap_or((Script::Other, None));
    let kind = charabia::TokenKind::Word;
    let token = Token { lemma: word.into(), script, language, kind, ..Token::default() };
    let mut form = token.normalize(options).lemma.into_owned();
    form.pop();
    if class == Class::Kana {
        form = form.chars().map(crate::japanese::hiragana).collect();
    }
    form
}

/// Returns the script of a character. Armenian cannot begin a run, but it can decide the script of
/// one.
fn script(c: char) -> Script {
    match c {
        '\u{0530}'..='\u{058F}' | '\u{FB13}'..='\u{FB17}' => Script::Armenian,
        _ => Script::from(c),
    }
}

/// Returns whether a form without capitals still changes under lower-casing, which is skipped for
/// words without a capital.
fn is_cased_by_neighbours(plain: &str) -> bool {
    plain.chars().any(|c| !c.is_uppercase() && !c.to_lowercase().eq([c]))
}
