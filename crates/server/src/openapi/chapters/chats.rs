//! `/chats`: workspaces and completions.

use model::Code;
use model::features::Feature;

use crate::openapi::components::instance::{PROMPTS, SOURCES};
use crate::openapi::operation::{EVENTS, Operation, delete, get, page_of, paging, patch, post};
use crate::schema::{
    Member, always, anything, boolean, list, maybe, named, object, object_and_more, one_of, text,
};

const FEATURE: Feature = Feature::chat_completions;

pub fn all() -> Vec<Operation> {
    vec![
        get("/chats", "List chat workspaces")
            .query(paging(Code::InvalidIndexOffset, Code::InvalidIndexLimit))
            .needs(FEATURE)
            .answers(200, page_of(named("Workspace"))),
        get("/chats/{uid}", "Get a chat workspace")
            .codes(&[Code::ChatNotFound, Code::InvalidIndexUid])
            .needs(FEATURE)
            .answers(200, named("Workspace")),
        delete("/chats/{uid}", "Delete a chat workspace")
            .codes(&[Code::ChatNotFound])
            .needs(FEATURE)
            .writes()
            .answers_nothing(204, "The workspace was deleted."),
        get("/chats/{uid}/settings", "Get the settings of a chat workspace")
            .codes(&[Code::ChatNotFound])
            .needs(FEATURE)
            .answers(200, named("ChatSettings")),
        patch("/chats/{uid}/settings", "Create a chat workspace or update its settings")
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
        delete("/chats/{uid}/settings", "Reset the settings of a chat workspace")
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
        always("messages", list(object_and_more([])), "Messages in the format of OpenAI."),
        always("model", text(), "Model of the provider."),
        maybe("stream", boolean(), "Must be true."),
        maybe("tools", anything(), "Only the tools that report searches are supported."),
    ]);
    post("/chats/{uid}/chat/completions", "Create a chat completion")
        .about("Takes the body of OpenAI's chat completions and streams chunks in its format.")
        .takes_json(body)
        .codes(&[
            Code::ChatNotFound,
            Code::UnimplementedNonStreamingChatCompletions,
            Code::UnimplementedMultiChoiceChatCompletions,
            Code::UnimplementedExternalFunctionCalling,
        ])
        .needs(FEATURE)
        .answers_as(200, "Stream of events; the last one is `[DONE]`.", EVENTS, text())
}
