//! Every public method of the crate `meilisearch-sdk`.

mod access;
mod chats;
mod context;
mod documents;
mod indexes;
mod instance;
mod network;
mod search;
mod settings;
mod suite;
mod surface;
mod tasks;
mod webhooks;

use context::Context;
use suite::{Problem, Suite};

#[tokio::main]
async fn main() -> Result<(), Problem> {
    let context = Context::prepare().await?;
    let mut suite = Suite::new("crate meilisearch-sdk", surface::methods()?);
    instance::cases(&mut suite, &context).await;
    indexes::cases(&mut suite, &context).await;
    documents::cases(&mut suite, &context).await;
    search::cases(&mut suite, &context).await;
    settings::cases(&mut suite, &context).await;
    tasks::cases(&mut suite, &context).await;
    access::cases(&mut suite, &context).await;
    webhooks::cases(&mut suite, &context).await;
    chats::cases(&mut suite, &context).await;
    // It comes last: it changes who may be written to.
    network::cases(&mut suite, &context).await;
    suite.write(&surface::version()?)
}
