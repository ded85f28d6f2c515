//! Tests of highlighting.

use serde_json::json;
use text::Language;

use super::{case, highlights, text};

#[test]
fn a_word_is_wrapped_whole_and_a_prefix_as_far_as_it_goes() {
    let keeper = "The Keeper of Small Clocks";
    highlights(keeper, "keeper", "The <em>Keeper</em> of Small Clocks");
    highlights(keeper, "keep*", "The <em>Keep</em>er of Small Clocks");
    highlights(keeper, "keeper*", "The <em>Keeper</em> of Small Clocks");
    highlights(keeper, "keep", keeper);
    highlights(keeper, "", keeper);
    highlights(
        "night train. Night after night, bread",
        "night train*",
        "<em>night</em> <em>train</em>. <em>Night</em> after <em>night</em>, bread",
    );
}

#[test]
fn case_accents_and_compatibility_forms_do_not_matter() {
    highlights("Crème BRÛLÉE au café", "brulee*", "Crème <em>BRÛLÉE</em> au café");
    highlights("Crème BRÛLÉE au café", "caf*", "Crème BRÛLÉE au <em>caf</em>é");
    highlights("naïve façade, jalapeño", "jalapen*", "naïve façade, <em>jalapeñ</em>o");
    highlights("ŒUVRE et cœur", "oeuvre*", "<em>ŒUVRE</em> et cœur");
    highlights("đồng dong ðe", "dong*", "<em>đồng</em> <em>dong</em> ðe");
    highlights(
        "l'été; l’été dernier",
        "l ete*",
        "<em>l</em>'<em>été</em>; <em>l</em>’<em>été</em> dernier",
    );
}

#[test]
fn a_letter_that_folds_to_two_is_wrapped_by_either() {
    highlights("Œuvrier œuvres", "o*", "<em>Œ</em>uvrier <em>œ</em>uvres");
    highlights("Œuvrier œuvres", "oe*", "<em>Œ</em>uvrier <em>œ</em>uvres");
    highlights("Œuvrier œuvres", "oeuvri*", "<em>Œuvri</em>er œuvres");
    highlights("ﬁne ﬂour and fine flour", "fi*", "<em>ﬁ</em>ne ﬂour and <em>fi</em>ne flour");
    highlights("ﬁnland ﬁnnish", "fin*", "<em>ﬁn</em>land <em>ﬁn</em>nish");
    highlights("Æthelred", "ae*", "<em>Æ</em>thelred");
    highlights("½hour", "1*", "<em>½</em>hour");
    highlights("İstanbul", "i*", "<em>İ</em>stanbul");
    highlights("½ cup ② spoons 10²", "10*", "½ cup ② spoons <em>10</em>²");
}

#[test]
fn a_prefix_that_ends_before_a_mark_leaves_the_mark_outside() {
    let decomposed = "cafe\u{301}s";
    highlights(decomposed, "cafe*", "<em>cafe</em>\u{301}s");
    highlights(decomposed, "cafes*", "<em>cafe\u{301}s</em>");
    highlights("cafe\u{301}", "cafe*", "<em>cafe</em>\u{301}");
    highlights("cafe\u{301}", "cafe", "<em>cafe\u{301}</em>");
    highlights("مُحَمَّد", "محم*", "<em>مُحَم</em>َّد");
}

#[test]
fn variants_by_typos_are_wrapped_as_far_as_the_query_word_goes() {
    highlights("The Keeper", "kepeer~keeper", "The <em>Keeper</em>");
    highlights(
        "Blueberry pancakes",
        "bluebery*~blueberries~blueberry",
        "<em>Blueberr</em>y pancakes",
    );
    highlights("two gartens", "garden*~gartens", "two <em>garten</em>s");
    highlights("Maple-glazed", "marple~maple~marble", "<em>Maple</em>-glazed");
    // Shorter than the query word.
    highlights("a lantern", "lanterns*~lantern", "a <em>lantern</em>");
}

#[test]
fn longer_word_is_highlighted_up_to_its_variant() {
    highlights(
        "señor SEÑORITA senores",
        "senori*~senor~senores",
        "<em>señor</em> <em>SEÑORI</em>TA <em>senor</em>es",
    );
    // The word itself comes before its variants, whatever their lengths.
    highlights("senorita", "senori*~sen~senor", "<em>senori</em>ta");
}

#[test]
fn whole_words_win_over_prefixes_and_longer_terms_over_shorter() {
    highlights("lanterns", "lant* lanterns", "<em>lanterns</em>");
    highlights("lanterns", "lanterns lant*", "<em>lanterns</em>");
    highlights("pancakes", "pan* pan+cake*", "<em>pancake</em>s");
    highlights("lighthouse", "light house* light+house*", "<em>lighthouse</em>");
}

#[test]
fn a_phrase_is_wrapped_once() {
    highlights("Silver Harbour", "[silver harbour]", "<em>Silver Harbour</em>");
    highlights("A silver ring; harbour", "[silver harbour]", "A silver ring; harbour");
    highlights(
        "Bread for the Night Train. Night, bread",
        "[night train] bread*",
        "<em>Bread</em> for the <em>Night Train</em>. Night, <em>bread</em>",
    );
    // Whatever stands between its words.
    highlights(
        "alpha(beta) alpha. beta",
        "[alpha beta]",
        "<em>alpha(beta</em>) <em>alpha. beta</em>",
    );
    // Its last word is no prefix, and it may end the text.
    highlights("silver harbours silver", "[silver harbour]", "silver harbours silver");
    // Neither half is wrapped alone.
    highlights(
        "kaffee tasse, kaffee",
        "kaffeetasse=[kaffee tasse]",
        "<em>kaffee tasse</em>, kaffee",
    );
}

#[test]
fn the_longest_phrase_counts() {
    let words = "nyc=[new york] nyc=[new york city]";
    highlights("New York City, New York", words, "<em>New York City</em>, <em>New York</em>");
}

#[test]
fn synonyms_of_one_word_are_wrapped_whole() {
    highlights("Television, televisions", "tv*=[television]", "<em>Television</em>, televisions");
}

#[test]
fn phrase_with_a_stop_word_is_not_highlighted() {
    let rings = text("The lord of the rings").stop_words(&["of", "the"]).highlight(&["t"]);
    let plain = json!({ "t": "The lord of the rings" });
    rings.clone().query("[lord _ _ rings]").gives(plain.clone());
    rings.clone().query("[_ rings]").gives(plain);
    // The last word of a query.
    rings
        .query("lord the*")
        .gives(json!({ "t": "<em>The</em> <em>lord</em> of <em>the</em> rings" }));
}

#[test]
fn tags_are_taken_as_they_are() {
    let rose = text("<em>wild</em> rose & roses").query("rose*").highlight(&["t"]);
    rose.clone().gives(json!({ "t": "<em>wild</em> <em>rose</em> & <em>rose</em>s" }));
    let tagged = |pre: &str, post: &str| {
        let (pre, post) = (pre.to_owned(), post.to_owned());
        rose.clone().request(|request| (request.pre_tag, request.post_tag) = (pre, post))
    };
    tagged("🌹", "»").gives(json!({ "t": "<em>wild</em> 🌹rose» & 🌹rose»s" }));
    tagged("", "").gives(json!({ "t": "<em>wild</em> rose & roses" }));
    text("em").query("em*").highlight(&["t"]).gives(json!({ "t": "<em>em</em>" }));
}

#[test]
fn text_is_cut_by_the_locales_of_the_request_or_of_its_attribute() {
    let coffee = case(json!({ "a": "Kaffeemaschine", "b": "Kaffeemaschine" }));
    let coffee = coffee.query("maschine").highlight(&["*"]);
    let cut = "Kaffee<em>maschine</em>";
    coffee.clone().gives(json!({ "a": "Kaffeemaschine", "b": "Kaffeemaschine" }));
    let german = coffee.localized("a", &[Language::Deu]);
    german.clone().gives(json!({ "a": cut, "b": "Kaffeemaschine" }));
    german.clone().locales(&[Language::Deu]).gives(json!({ "a": cut, "b": cut }));
    let none = json!({ "a": "Kaffeemaschine", "b": "Kaffeemaschine" });
    german.clone().locales(&[Language::Eng]).gives(none.clone());
    german.clone().locales(&[]).gives(none);
    // The first rule that is for an attribute decides.
    let rules = german.localized("*", &[Language::Eng]).localized("b", &[Language::Deu]);
    rules.gives(json!({ "a": cut, "b": "Kaffeemaschine" }));
}
