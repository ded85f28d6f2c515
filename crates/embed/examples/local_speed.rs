//! Measures how many texts a local model embeds per second of processor time.
//!
//! `cargo run --release -p embed --example local_speed -- <folder of the model> <file>`, with one
//! text a line in the file.

use std::error::Error;
use std::time::Instant;
use std::{env, fs};

use embed::{EmbedCallbacks, Embedder, Input, Options, Requests};
use model::Cancel;
use outbound::{AddressPolicy, Client};
use settings::{HuggingFace, Pooling, Source};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [model, file] = arguments.as_slice() else {
        return Err("usage: local_speed <folder of the model> <file>".into());
    };
    let source = Source::HuggingFace(HuggingFace {
        model: model.clone(),
        revision: None,
        pooling: Pooling::UseModel,
        prompt: Default::default(),
    });
    let settings = settings::Embedder { source, distribution: None, binary_quantized: false };
    let client = Client::new(AddressPolicy::Any)?;
    let models = std::path::Path::new(model).parent().map(Into::into);
    let options = Options { models, ..Options::default() };
    let embedder = Embedder::new("speed", &settings, &client, None, &options)?;
    let texts = fs::read_to_string(file)?;
    let inputs: Vec<Input> = texts.lines().map(|text| Input::Text(text.to_owned())).collect();

    let requests = Requests::default();
    let callbacks =
        EmbedCallbacks { on_progress: &|_| (), cancel: &Cancel::default(), requests: &requests };
    let (start, processor) = (Instant::now(), processor_seconds()?);
    embedder.embed_documents(&inputs, &callbacks)?;
    let (wall, processor) = (start.elapsed().as_secs_f64(), processor_seconds()? - processor);
    eprintln!(
        "{} texts in {wall:.2} s, {processor:.2} s of processor time: {:.0} per processor second; {} at most in memory",
        inputs.len(),
        inputs.len() as f64 / processor,
        peak_memory()?,
    );
    Ok(())
}

/// Returns the processor time of this process so far, user and system, as Linux counts it.
fn processor_seconds() -> Result<f64, Box<dyn Error>> {
    const TICKS_PER_SECOND: f64 = 100.0;
    let stat = fs::read_to_string("/proc/self/stat")?;
    // The name of the program, which may hold anything, ends at the last parenthesis.
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let ticks = fields.split_whitespace().skip(11).take(2).map(str::parse::<f64>);
    Ok(ticks.sum::<Result<f64, _>>()? / TICKS_PER_SECOND)
}

fn peak_memory() -> Result<String, Box<dyn Error>> {
    let status = fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    Ok(peak.unwrap_or_default().trim().to_owned())
}
