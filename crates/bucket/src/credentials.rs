//! Credentials: either a key pair, or a role assumed with a token. The token service issues
//! temporary keys, which are renewed before they expire.

use std::sync::Arc;
use std::time::Duration;

use model::Cancel;
use outbound::{Call, Client};
use parking_lot::Mutex;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use rusty_s3::Credentials;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::answer::{check, element, message_of, text_of};
use crate::error::BucketError;
use crate::options::Access;
use crate::retry::retried;

const TIMEOUT: Duration = Duration::from_secs(30);
/// Remaining lifetime below which keys are renewed.
const SPARE_TIME: Duration = Duration::from_secs(5 * 60);

#[derive(Debug)]
pub(crate) struct Keyring {
    access: Access,
    region: String,
    retry_pause: Duration,
    client: Client,
    temporary: Mutex<Option<Temporary>>,
}

#[derive(Debug)]
struct Temporary {
    credentials: Arc<Credentials>,
    end: OffsetDateTime,
}

impl Keyring {
    pub fn new(access: Access, region: String, retry_pause: Duration, client: Client) -> Self {
        Self { access, region, retry_pause, client, temporary: Mutex::default() }
    }

    /// Returns valid keys. Callers wait while new ones are requested.
    pub fn credentials(&self, cancel: &Cancel) -> Result<Arc<Credentials>, BucketError> {
        let (role_arn, token_file, service_url) = match &self.access {
            Access::Keys { access_key, secret_key } => {
                return Ok(Arc::new(Credentials::new(access_key, secret_key.expose())));
            }
            Access::WebIdentity { role_arn, token_file, service_url } => {
                (role_arn, token_file, service_url)
            }
        };
        let mut temporary = self.temporary.lock();
        if let Some(kept) = temporary.as_ref()
            && kept.end > OffsetDateTime::now_utc() + SPARE_TIME
        {
            return Ok(Arc::clone(&kept.credentials));
        }
        // The issuer of the token replaces the file before it expires.
        let token = std::fs::read_to_string(token_file).map_err(|error| {
            let what = format!("the token file {} cannot be read: {error}", token_file.display());
            BucketError::Parameters(what)
        })?;
        let service = match service_url {
            Some(url) => url.trim_end_matches('/').to_owned(),
            None => regional_service(&self.region),
        };
        let fresh = retried(self.retry_pause, cancel, &|| {
            self.take_on(&service, role_arn, token.trim(), cancel)
        })?;
        let credentials = Arc::clone(&fresh.credentials);
        *temporary = Some(fresh);
        Ok(credentials)
    }

    fn take_on(
        &self,
        service: &str,
        role_arn: &str,
        token: &str,
        cancel: &Cancel,
    ) -> Result<Temporary, BucketError> {
        let encoded = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
        let form = format!(
            "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleSessionName=sonde\
             &RoleArn={}&WebIdentityToken={}",
            encoded(role_arn),
            encoded(token)
        );
        let call = Call::post(format!("{service}/"), form, TIMEOUT)
            .header("content-type", "application/x-www-form-urlencoded");
        let answer = self.client.send_blocking(call, cancel).map_err(BucketError::of_call)?;
        check(&answer)?;
        let text = text_of(&answer);
        temporary(&text).ok_or_else(|| BucketError::Unreadable(message_of(&text)))
    }
}

fn temporary(answer: &str) -> Option<Temporary> {
    let key = element(answer, "AccessKeyId")?;
    let secret = element(answer, "SecretAccessKey")?;
    let token = element(answer, "SessionToken")?;
    let end = OffsetDateTime::parse(&element(answer, "Expiration")?, &Rfc3339).ok()?;
    Some(Temporary { credentials: Arc::new(Credentials::new_with_token(key, secret, token)), end })
}

fn regional_service(region: &str) -> String {
    let suffix = if region.starts_with("cn-") { ".cn" } else { "" };
    format!("https://sts.{region}.amazonaws.com{suffix}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_from_the_answer_of_a_token_service() {
        let answer = "<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult>\
            <Credentials><AccessKeyId>ASIA</AccessKeyId><SecretAccessKey>a&amp;b/c</SecretAccessKey>\
            <SessionToken>token==</SessionToken><Expiration>2026-01-02T03:04:05Z</Expiration>\
            </Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>";
        let temporary = temporary(answer).unwrap();
        assert_eq!(temporary.credentials.key(), "ASIA");
        assert_eq!(temporary.credentials.secret(), "a&b/c");
        assert_eq!(temporary.credentials.token(), Some("token=="));
        assert_eq!(temporary.end.unix_timestamp(), 1_767_323_045);
        assert!(super::temporary("<html>not here</html>").is_none());
    }

    #[test]
    fn each_partition_has_its_token_service() {
        assert_eq!(regional_service("eu-west-3"), "https://sts.eu-west-3.amazonaws.com");
        assert_eq!(regional_service("cn-north-1"), "https://sts.cn-north-1.amazonaws.com.cn");
    }
}
