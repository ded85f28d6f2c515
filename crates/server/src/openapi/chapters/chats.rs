//! `/chats`: workspaces and completions.

use model::Code;
use model::features::Feature;

use crate::openapi::components::instance::{PROMPTS, SOURCES};
use crate::openapi::operation::{EVENTS, Operation, delete, get, page_of, paging, patch, post};
use crate::openapi::schema::{
    Member, always, anything, boolean, list, maybe, named, object, object_and_more, one_of, text,
};

const FEATURE: Feature = Feature::chat_completions;

pub fn all() -> Vec<Operation> {
    vec![
        get("/chats", "List workspaces")
            .query(paging(Code::InvalidIndexOffset, Code::InvalidIndexLimit))
            .needs(FEATURE)
            .answers(200, page_of(named("Workspace"))),
        get("/chats/{uid}", "Whether a workspace exists")
            .codes(&[Code::ChatNotFound, Code::InvalidIndexUid])
            .needs(FEATURE)
            .answers(200, named("Workspace")),
        delete("/chats/{uid}", "Delete a workspace")
            .codes(&[Code::ChatNotFound])
            .needs(FEATURE)
            .writes()
            .answers_nothing(204, "It is gone."),
        get("/chats/{uid}/settings", "Settings of a workspace")
            .codes(&[Code::ChatNotFound])
            .needs(FEATURE)
            .answers(200, named("ChatSettings")),
        patch("/chats/{uid}/settings", "Make a workspace, or change its settings")
            .takes(settings())
            .codes(&[
                Code::InvalidChatCompletionSystemPrompt,
                Code::InvalidChatCompletionSearchDescriptionPrompt,
                Code::InvalidChatCompletionSearchQueryParamPrompt,
                Code::InvalidChatCompletionSearchFilterParamPrompt,
                Code::InvalidChatCompletionSearchIndexUidParamPrompt,
            ])
            .needs(FEATURE)
            .writes()
            .answers(200, named("ChatSettings")),
        delete("/chats/{uid}/settings", "Reset the settings of a workspace")
            .codes(&[Code::ChatNotFound])
            .needs(FEATURE)
            .writes()
            .answers(200, named("ChatSettings")),
        completions(),
    ]
}

fn settings() -> Vec<Member> {
    let value = |name, code| maybe(name, text().or_null(), "").code(code);
    let prompts = object(PROMPTS.iter().map(|name| maybe(name, text().or_null(), "")));
    vec![
        maybe("source", one_of(SOURCES).or_null(), ""),
        value("orgId", Code::InvalidChatCompletionOrgId),
        value("projectId", Code::InvalidChatCompletionProjectId),
        value("apiVersion", Code::InvalidChatCompletionApiVersion),
        value("deploymentId", Code::InvalidChatCompletionDeploymentId),
        value("baseUrl", Code::InvalidChatCompletionBaseApi),
        value("apiKey", Code::InvalidChatCompletionApiKey),
        maybe("prompts", prompts.or_null(), ""),
    ]
}

fn completions() -> Operation {
    let body = object_and_more([
        always("messages", list(object_and_more([])), "As OpenAI has them."),
        always("model", text(), "Of the provider."),
        maybe("stream", boolean(), "Must be true."),
        maybe("tools", anything(), "Only those that report searches."),
    ]);
    post("/chats/{uid}/chat/completions", "Answer a conversation")
        .tells("The body of OpenAI's chat completions; the answer is a stream of its chunks.")
        .takes_json(body)
        .codes(&[
            Code::ChatNotFound,
            Code::UnimplementedNonStreamingChatCompletions,
            Code::UnimplementedMultiChoiceChatCompletions,
            Code::UnimplementedExternalFunctionCalling,
        ])
        .needs(FEATURE)
        .answers_as(200, "Events; the last is `[DONE]`.", EVENTS, text())
}
