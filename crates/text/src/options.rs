//! The normaliser options of charabia.

use charabia::normalizer::{ClassifierOption, NormalizerOption};

const UNCLASSIFIED: ClassifierOption<'static> =
    ClassifierOption { stop_words: None, separators: None };
pub(crate) const LOSSY: NormalizerOption<'static> =
    NormalizerOption { create_char_map: false, classifier: UNCLASSIFIED, lossy: true };
pub(crate) const PLAIN: NormalizerOption<'static> = NormalizerOption { lossy: false, ..LOSSY };
