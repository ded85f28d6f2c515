//! `/network`: the topology of the network, and the messages between its members.

use std::collections::{BTreeMap, BTreeSet};

use axum::http::StatusCode;
use deserr::Deserr;
use engine::Engine;
use model::features::Feature;
use model::{Code, Patch, Secret, ServiceError, shown_url};
use network::{
    ControlMessage, ControlNotice, ControlOrigin, DeliveredChange, Network, NetworkChange,
    RemoteChange, ShardChange,
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::app::App;
use crate::call::{Answer, Call};
use crate::http::answer;
use crate::http::field_error::body_code;
use crate::http::json::BodyError;
use crate::http::proxy;
use crate::routes::tasks::wire::{EnqueuedTask, enqueued};
use crate::routes::usage;

pub async fn get(app: App, _call: Call) -> Answer {
    check_feature(&app, "Using the /network route")?;
    Ok(answer::ok(&wire(&app.engine.network(), &app.engine)))
}

pub async fn update(app: App, mut call: Call) -> Answer {
    let body: NetworkBody = call.json().await?;
    check_feature(&app, "Using the /network route")?;
    if let Some(origin) = proxy::origin(&call.headers)? {
        let delivered = body.into_delivered(proxy::takes_back(&call.headers)?);
        let task = app.blocking(move |engine| engine.take_network_change(origin, delivered));
        return Ok(enqueued(StatusCode::ACCEPTED, &task.await?));
    }
    if !matches!(body.previous_remotes, Patch::Keep) {
        return Err(ServiceError::new(
            Code::UnexpectedNetworkPreviousRemotes,
            "Unexpected `previousRemotes` in network call.\n  - Note: `previousRemote` is reserved for internal use.",
        ));
    }
    let change = body.into_change();
    let (network, task) = app.blocking(move |engine| engine.change_network(change)).await?;
    app.record(&call.headers, || usage::network_updated(&network));
    let task = task.as_ref().filter(|_| network.is_sharded()).map(EnqueuedTask::new);
    let status = match task {
        Some(_) => StatusCode::ACCEPTED,
        None => StatusCode::OK,
    };
    Ok(answer::json(status, &Updated { network: wire(&network, &app.engine), task }))
}

pub async fn control(app: App, mut call: Call) -> Answer {
    let body: ControlBody = call.typed_json().await?;
    check_feature(&app, "Using the /network/control route")?;
    let notice = body.into_notice();
    app.blocking(move |engine| engine.control_network(notice)).await?;
    Ok(answer::empty(StatusCode::OK))
}

fn check_feature(app: &App, tried: &str) -> Result<(), ServiceError> {
    app.engine.features().check(Feature::network, tried)
}

#[derive(Deserr)]
#[deserr(error = BodyError, rename_all = camelCase, deny_unknown_fields)]
struct NetworkBody {
    #[deserr(default, error = body_code!(InvalidNetworkRemotes))]
    remotes: Patch<BTreeMap<String, Option<RemoteBody>>>,
    #[deserr(default, error = body_code!(InvalidNetworkShards))]
    shards: Patch<BTreeMap<String, Option<ShardBody>>>,
    /// Sent between members only; it has no effect for clients.
    #[deserr(default, error = body_code!(InvalidNetworkShards))]
    previous_shards: Patch<BTreeMap<String, Option<ShardBody>>>,
    #[deserr(default, rename = "self", error = body_code!(InvalidNetworkSelf))]
    name: Patch<String>,
    #[deserr(default, error = body_code!(InvalidNetworkLeader))]
    leader: Patch<String>,
    #[deserr(default, error = body_code!(InvalidNetworkRemotes))]
    previous_remotes: Patch<BTreeMap<String, Option<RemoteBody>>>,
}

#[derive(Deserr)]
#[deserr(error = body_code!(InvalidNetworkRemotes), rename_all = camelCase, deny_unknown_fields)]
struct RemoteBody {
    #[deserr(default, error = body_code!(InvalidNetworkUrl))]
    url: Patch<String>,
    #[deserr(default, error = body_code!(InvalidNetworkSearchApiKey))]
    search_api_key: Patch<String>,
    #[deserr(default, error = body_code!(InvalidNetworkWriteApiKey))]
    write_api_key: Patch<String>,
}

#[derive(Deserr)]
#[deserr(error = body_code!(InvalidNetworkShards), rename_all = camelCase, deny_unknown_fields)]
struct ShardBody {
    #[deserr(default, error = body_code!(InvalidNetworkRemotes))]
    remotes: Option<Vec<String>>,
    #[deserr(default, error = body_code!(InvalidNetworkRemotes))]
    add_remotes: Option<Vec<String>>,
    #[deserr(default, error = body_code!(InvalidNetworkRemotes))]
    remove_remotes: Option<Vec<String>>,
}

impl NetworkBody {
    /// Converts to the change that members send each other: the network before and after.
    fn into_delivered(self, takes_back: Option<Uuid>) -> DeliveredChange {
        let remotes = |remotes: Patch<BTreeMap<String, Option<RemoteBody>>>| {
            remotes.map(|remotes| converted(remotes, RemoteBody::into_change))
        };
        let shards = |shards: Patch<BTreeMap<String, Option<ShardBody>>>| {
            shards.map(|shards| converted(shards, ShardBody::into_change))
        };
        DeliveredChange {
            before: NetworkChange {
                remotes: remotes(self.previous_remotes),
                shards: shards(self.previous_shards),
                ..NetworkChange::default()
            },
            after: NetworkChange {
                name: self.name,
                leader: self.leader,
                remotes: remotes(self.remotes),
                shards: shards(self.shards),
            },
            takes_back,
        }
    }

    fn into_change(self) -> NetworkChange {
        NetworkChange {
            name: self.name,
            leader: self.leader,
            remotes: self.remotes.map(|remotes| converted(remotes, RemoteBody::into_change)),
            shards: self.shards.map(|shards| converted(shards, ShardBody::into_change)),
        }
    }
}

fn converted<T, U>(
    members: BTreeMap<String, Option<T>>,
    convert: impl Fn(T) -> U,
) -> BTreeMap<String, Option<U>> {
    members.into_iter().map(|(name, value)| (name, value.map(&convert))).collect()
}

impl RemoteBody {
    fn into_change(self) -> RemoteChange {
        RemoteChange {
            url: self.url,
            search_api_key: self.search_api_key.map(Secret::new),
            write_api_key: self.write_api_key.map(Secret::new),
        }
    }
}

impl ShardBody {
    fn into_change(self) -> ShardChange {
        let names = |list: Option<Vec<String>>| list.unwrap_or_default().into_iter().collect();
        ShardChange {
            remotes: self.remotes.map(|list| list.into_iter().collect()),
            add: names(self.add_remotes),
            remove: names(self.remove_remotes),
        }
    }
}

#[derive(Deserialize)]
struct ControlBody {
    origin: OriginBody,
    message: MessageBody,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OriginBody {
    remote_name: String,
    task_uid: u32,
    network_version: Uuid,
}

#[derive(Deserialize)]
#[serde(tag = "type")]
enum MessageBody {
    #[serde(rename = "exportNoIndexForRemote")]
    ExportNoIndex { remote: String },
    #[serde(rename = "importFinishedForRemote")]
    ImportFinished { remote: String, successful: bool },
    #[serde(rename = "statusChangeForRemote")]
    StatusChange { remote: String, status: Status },
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Status {
    Available,
    Unavailable,
}

impl ControlBody {
    fn into_notice(self) -> ControlNotice {
        let OriginBody { remote_name: remote, task_uid, network_version } = self.origin;
        let message = match self.message {
            MessageBody::ExportNoIndex { remote } => ControlMessage::ExportNoIndex { remote },
            MessageBody::ImportFinished { remote, successful } => {
                ControlMessage::ImportFinished { remote, successful }
            }
            MessageBody::StatusChange { remote, status } => {
                let is_available = matches!(status, Status::Available);
                ControlMessage::StatusChange { remote, is_available }
            }
        };
        ControlNotice { origin: ControlOrigin { remote, task_uid, network_version }, message }
    }
}

/// The network, with the members of its task besides: some clients wait for the one, others for the
/// other.
#[derive(Serialize)]
struct Updated<'a> {
    #[serde(flatten)]
    network: NetworkView<'a>,
    #[serde(flatten)]
    task: Option<EnqueuedTask<'a>>,
}

#[derive(Serialize)]
struct NetworkView<'a> {
    #[serde(rename = "self")]
    name: Option<&'a str>,
    remotes: BTreeMap<&'a str, RemoteView<'a>>,
    shards: BTreeMap<&'a str, ShardView<'a>>,
    leader: Option<&'a str>,
    version: Uuid,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RemoteView<'a> {
    url: String,
    search_api_key: Option<&'a str>,
    write_api_key: Option<&'a str>,
    status: Status,
}

#[derive(Serialize)]
struct ShardView<'a> {
    remotes: &'a BTreeSet<String>,
}

fn wire<'a>(network: &'a Network, engine: &Engine) -> NetworkView<'a> {
    let status = |name: &str| match engine.is_remote_available(name) {
        true => Status::Available,
        false => Status::Unavailable,
    };
    let remotes = network.remotes.iter().map(|(name, remote)| {
        let view = RemoteView {
            url: shown_url(&remote.url),
            search_api_key: remote.search_api_key.as_ref().map(Secret::expose),
            write_api_key: remote.write_api_key.as_ref().map(Secret::expose),
            status: status(name),
        };
        (name.as_str(), view)
    });
    let shards = network.shards.iter();
    NetworkView {
        name: network.name.as_deref(),
        remotes: remotes.collect(),
        shards: shards.map(|(name, remotes)| (name.as_str(), ShardView { remotes })).collect(),
        leader: network.leader.as_deref(),
        version: network.version,
    }
}
