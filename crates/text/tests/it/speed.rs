//! Measures tokenization, for changes of the hot path. `TEXT_CORPUS` lists files of JSON lines,
//! separated by `:`.

use text::{Scratch, Tokenizer, WordEvent, WordLists};

#[test]
#[ignore = "measures, and needs files that are not part of the project"]
fn megabytes_a_second() {
    let tokenizer = Tokenizer::new(WordLists::default());
    let list = |words: [&str; 3]| words.map(str::to_owned).into();
    let with_lists = Tokenizer::new(WordLists {
        stop_words: list(["the", "a", "of"]),
        non_separators: list(["-", "'", "@"]),
        ..WordLists::default()
    });
    let baseline = charabia::TokenizerBuilder::<Vec<u8>>::new().into_tokenizer();
    for path in std::env::var("TEXT_CORPUS").unwrap_or_default().split_terminator(':') {
        let texts = texts(path);
        let bytes: usize = texts.iter().map(String::len).sum();
        let report = |name: &str, bytes: usize, read: &mut dyn FnMut() -> usize| {
            read();
            let start = cpu_seconds();
            let words = read();
            let speed = bytes as f64 / (cpu_seconds() - start) / 1e6;
            eprintln!("{path} {name}: {speed:.1} MB/s, {words} words in {bytes} bytes");
        };
        let mut scratch = Scratch::default();
        report("words", bytes, &mut || {
            let mut words = 0;
            for text in &texts {
                tokenizer.for_each_word(text, &[], &mut scratch, |event| {
                    words += usize::from(matches!(event, WordEvent::Word(_)));
                });
            }
            words
        });
        report("words with lists of the user", bytes, &mut || {
            let mut words = 0;
            for text in &texts {
                with_lists.for_each_word(text, &[], &mut scratch, |event| {
                    words += usize::from(matches!(event, WordEvent::Word(_)));
                });
            }
            words
        });
        report("tokens", bytes, &mut || {
            let count =
                |text: &String| tokenizer.tokens(text, &[]).iter().filter(|t| t.is_word()).count();
            texts.iter().map(count).sum()
        });
        let some = &texts[..texts.len() / 10];
        let some_bytes = some.iter().map(String::len).sum();
        report("charabia", some_bytes, &mut || {
            let count =
                |text: &String| baseline.tokenize(text).filter(charabia::Token::is_word).count();
            some.iter().map(count).sum()
        });
    }
}

/// Every string of every line.
fn texts(path: &str) -> Vec<String> {
    fn strings(value: serde_json::Value, all: &mut Vec<String>) {
        match value {
            serde_json::Value::String(text) => all.push(text),
            serde_json::Value::Array(items) => {
                items.into_iter().for_each(|item| strings(item, all));
            }
            serde_json::Value::Object(fields) => {
                fields.into_iter().for_each(|(_, value)| strings(value, all));
            }
            _ => {}
        }
    }
    let file = std::fs::read_to_string(path).unwrap();
    let values = serde_json::Deserializer::from_str(&file).into_iter::<serde_json::Value>();
    let mut all = Vec::new();
    values.for_each(|value| strings(value.unwrap(), &mut all));
    all
}

/// Time this thread had a processor, so that a busy machine does not count.
fn cpu_seconds() -> f64 {
    let status = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    status.split(' ').next().and_then(|ns| ns.parse::<f64>().ok()).unwrap() / 1e9
}
