//! From text to words: cutting, normalising and classifying, the same for documents and queries. It
//! knows neither documents nor settings nor disk: lists of words come in, tokens go out.
//!
//! A text is cut into runs of one script (`runs`), each run at its separators (`cut`), the text
//! between these into words where the script needs it (`segmenter`), and every piece is normalised
//! (`normalize`) and classified as a word, a stop word or a separator (`lists`).
//!
//! The result is that of charabia, the tokenizer of the baseline, for every text without kana;
//! tests compare the two token by token. Charabia's own pipeline allocates several times for each
//! token. Here it runs once for each character (`chars`), and the results serve all texts; its
//! dictionaries, its rules for languages and the detection of languages are used as they are.
//!
//! Japanese is the one difference. The baseline has a dictionary for it that is larger than the
//! rest of the program. Here Japanese with kana is cut by the dictionary of ICU (`japanese`), and
//! ideographs alone are treated as recorded from the baseline without its dictionary.

mod chars;
mod class;
mod cut;
mod japanese;
mod lists;
pub mod locale;
mod normalize;
mod options;
mod runs;
mod segmenter;
mod separators;
mod stem;
mod stop;
mod suggestion;
mod token;
mod tokenizer;
mod value;
mod words;

pub use charabia::Language;
pub use lists::WordLists;
pub use segmenter::load_chinese_dictionary;
pub use stem::{StemLanguage, stem_language_of_text};
pub use stop::StopLanguage;
pub use suggestion::{closest, is_likely_typo};
pub use token::{Token, TokenKind};
pub use tokenizer::{Scratch, Tokenizer};
pub use value::{LONGEST_VALUE, fold, fold_in, folds_alike, has_shared_script, value_form};
pub use words::WordEvent;
