//! The provider behind a remote, as named in messages.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Provider {
    Rest,
    OpenAi,
    Ollama,
}

impl Provider {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Rest => "embedding",
            Self::OpenAi => "OpenAI",
            Self::Ollama => "Ollama",
        }
    }

    pub(crate) fn key_hint(self) -> &'static str {
        match self {
            Self::Rest | Self::Ollama => {
                "Check the `apiKey` parameter in the embedder configuration"
            }
            Self::OpenAi => {
                "Check the `apiKey` parameter in the embedder configuration, and the `SONDE_OPENAI_API_KEY` and `OPENAI_API_KEY` environment variables"
            }
        }
    }

    pub(crate) fn request_hint(self) -> &'static str {
        match self {
            Self::Rest => {
                "\n  - Hint: check that the `request` in the embedder configuration matches the remote server's API"
            }
            Self::OpenAi | Self::Ollama => "",
        }
    }
}
