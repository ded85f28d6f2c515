//! `/network`.

use model::Code;
use model::features::Feature;

use crate::openapi::components::instance::network_members;
use crate::openapi::components::tasks::enqueued_members;
use crate::openapi::operation::{JSON, Operation, get, patch, post};
use crate::schema::{
    Member, Schema, always, any_of, boolean, integer, list, map, maybe, named, object, one_of,
    text, uuid,
};

const FEATURE: Feature = Feature::network;

pub fn all() -> Vec<Operation> {
    vec![
        get("/network", "Get the network topology").needs(FEATURE).answers(200, named("Network")),
        update(),
        control(),
    ]
}

fn update() -> Operation {
    let remote = object([
        maybe("url", text().or_null(), ""),
        maybe("searchApiKey", text().or_null(), ""),
        maybe("writeApiKey", text().or_null(), ""),
    ]);
    let names = || list(text()).or_null();
    let shard = object([
        maybe("remotes", names(), ""),
        maybe("addRemotes", names(), ""),
        maybe("removeRemotes", names(), ""),
    ]);
    let remotes = || map(remote.clone().or_null()).or_null();
    let shards = || map(shard.clone().or_null()).or_null();
    patch("/network", "Update the network topology")
        .about("Updates the members of the body; null removes a remote or a shard.")
        .takes([
            maybe("remotes", remotes(), "").code(Code::InvalidNetworkRemotes),
            maybe("shards", shards(), "").code(Code::InvalidNetworkShards),
            maybe("previousShards", shards(), "Only used between members."),
            maybe("self", text().or_null(), "").code(Code::InvalidNetworkSelf),
            maybe("leader", text().or_null(), "").code(Code::InvalidNetworkLeader),
            maybe("previousRemotes", remotes(), "Only used between members.")
                .code(Code::UnexpectedNetworkPreviousRemotes),
        ])
        .codes(&[
            Code::InvalidNetworkUrl,
            Code::InvalidNetworkSearchApiKey,
            Code::InvalidNetworkWriteApiKey,
            Code::MissingNetworkUrl,
            Code::NotLeader,
            Code::UnprocessedNetworkTask,
            Code::InvalidHeaderValue,
            Code::InconsistentDocumentChangeHeaders,
            Code::NetworkVersionTooOld,
            Code::NetworkVersionMismatch,
        ])
        .needs(FEATURE)
        .writes()
        .answers_as(
            200,
            "The network, with the task if documents are no longer sharded.",
            JSON,
            object(network_members().into_iter().chain(task_members())),
        )
        .answers_as(
            202,
            "With a leader: the network, with the task that applies the change. To members: only \
             the task.",
            JSON,
            changed(),
        )
}

/// The answer with the members of both the network and the task, since clients wait for either.
fn changed() -> Schema {
    object(network_members().map(at_will).into_iter().chain(task_members()))
}

fn task_members() -> [Member; 6] {
    enqueued_members().map(at_will)
}

fn at_will(member: Member) -> Member {
    Member { is_required: false, ..member }
}

fn control() -> Operation {
    let message = |kind: &str, more| {
        object(
            [always("type", one_of(&[kind]), ""), always("remote", text(), "")]
                .into_iter()
                .chain(more),
        )
    };
    let origin = object([
        always("remoteName", text(), ""),
        always("taskUid", integer(), ""),
        always("networkVersion", uuid(), ""),
    ]);
    let status = one_of(&["available", "unavailable"]);
    let messages = any_of([
        message("exportNoIndexForRemote", None),
        message("importFinishedForRemote", Some(always("successful", boolean(), ""))),
        message("statusChangeForRemote", Some(always("status", status, ""))),
    ]);
    post("/network/control", "Receive a message of another member")
        .takes_json(object([always("origin", origin, ""), always("message", messages, "")]))
        .codes(&[
            Code::NetworkVersionTooOld,
            Code::NetworkVersionMismatch,
            Code::ReceiveImportFinishedUnknownRemote,
            Code::ImportTaskWithoutNetworkTask,
            Code::ImportTaskUnknownRemote,
        ])
        .needs(FEATURE)
        .writes()
        .answers_nothing(200, "The message was received.")
}
