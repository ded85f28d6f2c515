//! Real text in many languages: what a native would type finds it, what it must not find it does
//! not, and what is marked in it is the word. Where the behaviour is not what one would wish (no
//! stemming, no reading of kanji), the tests say what it is.

mod east_asian;
mod european;
mod locales;
mod right_to_left;
mod southeast_asian;
mod support;
