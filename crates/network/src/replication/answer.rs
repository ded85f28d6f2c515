//! Meaning of another member's answer for the sender: accepted, refused for good, or to be retried.

use model::{Code, Secret, ServiceError};
use outbound::{Answer, OutboundError};
use serde::Deserialize;

use crate::quoted::quoted;

#[derive(Debug)]
pub enum Verdict {
    /// Accepted, with the task that the remote created, where it says so.
    Taken(Option<u32>),
    /// Refused for good.
    Refused(ServiceError),
    /// May be accepted later: the remote is down or busy, or an operator has to fix something (a
    /// key, an address, a feature). Giving up would lose a write.
    Later {
        error: ServiceError,
        /// True if the remote itself answered.
        is_there: bool,
        /// True if the remote has a newer network than the one this was sent in: it left alone, or
        /// has another leader.
        has_left: bool,
    },
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Body {
    task_uid: Option<u32>,
    code: String,
}

impl Verdict {
    /// Interprets an answer. `key` is the key of the call, which is not repeated in errors.
    pub fn of(outcome: Result<Answer, OutboundError>, key: Option<&Secret>) -> Self {
        let answer = match outcome {
            Ok(answer) => answer,
            Err(error @ OutboundError::Timeout(_)) => {
                let message = format!("The remote did not answer in time: {error}.");
                let error = ServiceError::new(Code::RemoteTimeout, message);
                return Self::Later { error, is_there: false, has_left: false };
            }
            Err(error) => {
                let message = format!("The request could not be sent to the remote: {error}.");
                let error = ServiceError::new(Code::RemoteCouldNotSendRequest, message);
                return Self::Later { error, is_there: false, has_left: false };
            }
        };
        let body: Body = serde_json::from_slice(&answer.body).unwrap_or_default();
        let quoted = quoted(&answer.body, key);
        let refused = format!("The remote refused with status {}{quoted}", answer.status);
        let error = match answer.status {
            200..=299 => return Self::Taken(body.task_uid),
            401 | 403 => ServiceError::new(
                Code::RemoteInvalidApiKey,
                format!(
                    "The remote refused the key with status {}{quoted}\n - Hint: check its `writeApiKey`.",
                    answer.status
                ),
            ),
            400 if !is_about_the_instance(&body.code) => {
                return Self::Refused(ServiceError::new(Code::RemoteBadRequest, refused));
            }
            400..=499 => ServiceError::new(Code::RemoteBadRequest, refused),
            status => ServiceError::new(
                Code::RemoteRemoteError,
                format!("The remote failed with status {status}{quoted}"),
            ),
        };
        let has_left = body.code == Code::NetworkVersionTooOld.name();
        Self::Later { error, is_there: !body.code.is_empty(), has_left }
    }
}

/// Returns whether a refusal is about the configuration of the remote, not about the request.
fn is_about_the_instance(code: &str) -> bool {
    let codes = [
        Code::NotLeader,
        Code::FeatureNotEnabled,
        Code::NetworkVersionTooOld,
        Code::InvalidNetworkRemotes,
        Code::UnprocessedNetworkTask,
    ];
    code.is_empty() || codes.iter().any(|known| known.name() == code)
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    fn verdict(status: u16, body: &'static str) -> Verdict {
        let body = Bytes::from_static(body.as_bytes());
        Verdict::of(Ok(Answer { status, retry_after: None, etag: None, body }), None)
    }

    #[test]
    fn only_what_is_wrong_with_the_write_itself_is_given_up() {
        assert!(matches!(verdict(202, r#"{"taskUid":4}"#), Verdict::Taken(Some(4))));
        assert!(matches!(verdict(200, ""), Verdict::Taken(None)));
        let bad = r#"{"message":"no","code":"invalid_document_filter"}"#;
        let Verdict::Refused(error) = verdict(400, bad) else { panic!("refused") };
        assert_eq!(error.message, "The remote refused with status 400: no");
        for (status, body) in [
            (400, r#"{"message":"no","code":"not_leader"}"#),
            (400, r#"{"message":"no","code":"feature_not_enabled"}"#),
            (400, "<html>"),
            (401, ""),
            (403, ""),
            (400, r#"{"message":"no","code":"network_version_too_old"}"#),
            (404, ""),
            (408, ""),
            (412, ""),
            (413, ""),
            (429, ""),
            (500, ""),
            (503, ""),
        ] {
            assert!(matches!(verdict(status, body), Verdict::Later { .. }), "{status} {body}");
        }
        let unsent = Verdict::of(Err(OutboundError::Network("x".into())), None);
        let Verdict::Later { error, .. } = verdict(502, "<h1>Bad Gateway</h1>") else {
            panic!("later")
        };
        assert_eq!(error.message, "The remote failed with status 502: <h1>Bad Gateway</h1>");
        assert!(matches!(unsent, Verdict::Later { is_there: false, .. }));
        let gone = verdict(400, r#"{"message":"no","code":"network_version_too_old"}"#);
        assert!(matches!(gone, Verdict::Later { is_there: true, has_left: true, .. }));
        let early = verdict(503, r#"{"message":"no","code":"import_task_without_network_task"}"#);
        assert!(matches!(early, Verdict::Later { is_there: true, .. }));
    }
}
