//! Downloads models by name from the hub. They stay in the cache folder that other programs for
//! these models use too, and are read from there without asking the hub again:
//!
//! ```text
//! models--owner--name/refs/main                          the commit that `main` was
//! models--owner--name/snapshots/<commit>/config.json     the files of a commit
//! models--owner--name/.no_exist/<commit>/modules.json    empty: the commit has no such file
//! ```

use std::env;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use model::Cancel;
use serde::Deserialize;

use super::LoadError;
use super::folder::{
    CONFIG, Folder, MODULES, PICKLED_WEIGHTS, POOLING, SENTENCE_CONFIG, TOKENIZER,
    TOKENIZER_CONFIG, WEIGHTS, WEIGHTS_INDEX, WeightsIndex,
};

const DEFAULT_ENDPOINT: &str = "https://huggingface.co";
const DEFAULT_REVISION: &str = "main";
/// Timeout for each piece of a file.
const TIMEOUT: Duration = Duration::from_secs(60);

const REQUIRED: [&str; 2] = [CONFIG, TOKENIZER];
const OPTIONAL: [&str; 4] = [MODULES, POOLING, SENTENCE_CONFIG, TOKENIZER_CONFIG];

/// Fetches files.
pub(super) trait Fetch {
    fn fetch(&self, url: &str, token: Option<&str>, into: &mut dyn Write)
    -> Result<(), FetchError>;
}

#[derive(Debug, thiserror::Error)]
pub(super) enum FetchError {
    #[error("the hub has no such model, revision or file, or it is not public")]
    NotFound,
    #[error("{0}")]
    Failed(String),
}

pub(super) struct Hub {
    endpoint: String,
    cache: PathBuf,
    /// Access token for private models.
    token: Option<String>,
}

/// The hub's description of a revision.
#[derive(Deserialize)]
struct Listing {
    sha: String,
    siblings: Vec<Sibling>,
}

#[derive(Deserialize)]
struct Sibling {
    rfilename: String,
}

/// A model in the cache.
struct CachedModel {
    folder: PathBuf,
}

impl Hub {
    /// Reads the environment variables that other programs for these models use too.
    pub(super) fn from_environment() -> Result<Self, LoadError> {
        let variable = |name| env::var_os(name).filter(|value| !value.is_empty());
        let text = |name| variable(name).and_then(|value| value.into_string().ok());
        let cache = variable("HF_HUB_CACHE").map(PathBuf::from).or_else(|| {
            let home = variable("HF_HOME").map(PathBuf::from).or_else(|| {
                let caches = variable("XDG_CACHE_HOME").map(PathBuf::from);
                let caches = caches.or_else(|| Some(env::home_dir()?.join(".cache")))?;
                Some(caches.join("huggingface"))
            })?;
            Some(home.join("hub"))
        });
        Ok(Self {
            endpoint: text("HF_ENDPOINT").unwrap_or_else(|| DEFAULT_ENDPOINT.to_owned()),
            cache: cache
                .ok_or_else(|| LoadError::new("no home folder to keep it in: set `HF_HOME`"))?,
            token: text("HF_TOKEN"),
        })
    }

    /// Returns the folder of a model, downloading it if needed.
    pub(super) fn folder(
        &self,
        model: &str,
        revision: Option<&str>,
        fetch: &dyn Fetch,
    ) -> Result<Folder, LoadError> {
        if !is_model_name(model) {
            return Err(LoadError::new(format!(
                "it is neither the name of a model at the hub nor a folder below the one that \
                 `{}` names",
                super::root::OPTION
            )));
        }
        let revision = revision.unwrap_or(DEFAULT_REVISION);
        if !is_path(revision) {
            return Err(LoadError::new(format!("`{revision}` is not the name of a revision")));
        }
        let cached = CachedModel {
            folder: self.cache.join(format!("models--{}", model.replace('/', "--"))),
        };
        if let Some(commit) = cached.commit(revision)
            && cached.is_complete(&commit)
        {
            return Ok(Folder::new(cached.snapshot(&commit)));
        }
        self.download(model, revision, &cached, fetch)
    }

    fn download(
        &self,
        model: &str,
        revision: &str,
        cached: &CachedModel,
        fetch: &dyn Fetch,
    ) -> Result<Folder, LoadError> {
        let listing = self.listing(model, revision, fetch)?;
        let has = |name: &str| listing.siblings.iter().any(|file| file.rfilename == name);
        let commit = &listing.sha;
        let folder = Folder::new(cached.snapshot(commit));
        let get = |name: &str| self.get(model, commit, name, &folder, fetch);

        for name in REQUIRED {
            if !has(name) {
                return Err(LoadError::new(format!("there is no `{name}` at the hub")));
            }
            get(name)?;
        }
        for name in OPTIONAL {
            if has(name) { get(name)? } else { cached.mark_absent(commit, name)? }
        }
        if has(WEIGHTS) {
            get(WEIGHTS)?;
        } else if has(WEIGHTS_INDEX) {
            get(WEIGHTS_INDEX)?;
            if let Some(index) = folder.json::<WeightsIndex>(WEIGHTS_INDEX)? {
                index.files()?.into_iter().try_for_each(get)?;
            }
        } else if has(PICKLED_WEIGHTS) {
            get(PICKLED_WEIGHTS)?;
        } else {
            let neither =
                format!("there is neither `{WEIGHTS}` nor `{PICKLED_WEIGHTS}` at the hub");
            return Err(LoadError::new(neither));
        }
        cached.set_commit(revision, commit)?;
        Ok(folder)
    }

    fn listing(
        &self,
        model: &str,
        revision: &str,
        fetch: &dyn Fetch,
    ) -> Result<Listing, LoadError> {
        let revision = revision.replace('/', "%2F");
        let url = format!("{}/api/models/{model}/revision/{revision}", self.endpoint);
        let mut answer = Vec::new();
        fetch
            .fetch(&url, self.token.as_deref(), &mut answer)
            .map_err(|error| failed(format!("cannot ask `{}` for it", self.endpoint), &error))?;
        let listing: Result<Listing, _> = serde_json::from_slice(&answer);
        match listing {
            Ok(listing) if is_commit(&listing.sha) => Ok(listing),
            _ => Err(LoadError::passing(format!("`{}` answered something else", self.endpoint))),
        }
    }

    /// Downloads a file, which appears in the folder when it is complete.
    fn get(
        &self,
        model: &str,
        commit: &str,
        name: &str,
        folder: &Folder,
        fetch: &dyn Fetch,
    ) -> Result<(), LoadError> {
        static DOWNLOADS: AtomicU64 = AtomicU64::new(0);
        let path = folder.path(name);
        if path.is_file() {
            return Ok(());
        }
        let number = DOWNLOADS.fetch_add(1, Ordering::Relaxed);
        let partial = folder.path(&format!("{name}.{}-{number}.incomplete", process::id()));
        let written = create(&partial).map_err(|error| LoadError::file(name, error));
        let result = written.and_then(|mut file| {
            let url = format!("{}/{model}/resolve/{commit}/{name}", self.endpoint);
            fetch
                .fetch(&url, self.token.as_deref(), &mut file)
                .map_err(|error| failed(format!("cannot fetch `{name}`"), &error))?;
            file.sync_all()
                .and_then(|()| fs::rename(&partial, &path))
                .map_err(|error| LoadError::file(name, error))
        });
        if result.is_err() {
            // The rest would only take up space; the first error is the one to report.
            let _ = fs::remove_file(&partial);
        }
        result
    }
}

/// Fetches over HTTP until stopped.
pub(super) struct HttpFetch<'d> {
    pub(super) client: &'d outbound::Client,
    pub(super) cancel: &'d Cancel,
}

impl Fetch for HttpFetch<'_> {
    fn fetch(
        &self,
        url: &str,
        token: Option<&str>,
        into: &mut dyn Write,
    ) -> Result<(), FetchError> {
        let mut call = outbound::Call::get(url, TIMEOUT);
        if let Some(token) = token {
            call = call.header("Authorization", format!("Bearer {token}"));
        }
        match self.client.download_blocking(call, into, self.cancel) {
            Ok(200..=299) => Ok(()),
            Ok(401 | 403 | 404) => Err(FetchError::NotFound),
            Ok(status) => Err(FetchError::Failed(format!("received HTTP {status}"))),
            Err(error) => Err(FetchError::Failed(error.to_string())),
        }
    }
}

impl CachedModel {
    fn snapshot(&self, commit: &str) -> PathBuf {
        self.folder.join("snapshots").join(commit)
    }

    fn reference(&self, revision: &str) -> PathBuf {
        self.folder.join("refs").join(revision)
    }

    fn absence(&self, commit: &str, name: &str) -> PathBuf {
        self.folder.join(".no_exist").join(commit).join(name)
    }

    fn commit(&self, revision: &str) -> Option<String> {
        if is_commit(revision) {
            return Some(revision.to_owned());
        }
        let commit = fs::read_to_string(self.reference(revision)).ok()?.trim().to_owned();
        is_commit(&commit).then_some(commit)
    }

    fn set_commit(&self, revision: &str, commit: &str) -> Result<(), LoadError> {
        if is_commit(revision) {
            return Ok(());
        }
        let reference = self.reference(revision);
        let written = create(&reference).and_then(|mut file| file.write_all(commit.as_bytes()));
        written.map_err(|error| {
            LoadError::new(format!("cannot write `{}`: {error}", reference.display()))
        })
    }

    fn mark_absent(&self, commit: &str, name: &str) -> Result<(), LoadError> {
        let absence = self.absence(commit, name);
        let written = create(&absence).map(drop);
        written.map_err(|error| {
            LoadError::new(format!("cannot write `{}`: {error}", absence.display()))
        })
    }

    /// Returns whether every file the model needs is there, or known to be missing at the hub.
    fn is_complete(&self, commit: &str) -> bool {
        let folder = Folder::new(self.snapshot(commit));
        let has = |name: &&str| folder.path(name).is_file();
        REQUIRED.iter().all(has)
            && OPTIONAL.iter().all(|name| has(name) || self.absence(commit, name).is_file())
            && folder.weights().is_ok_and(|files| files.iter().all(|file| file.is_file()))
    }
}

fn create(path: &Path) -> std::io::Result<File> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    File::create(path)
}

fn failed(what: String, error: &FetchError) -> LoadError {
    let text = format!("{what}: {error}");
    match error {
        FetchError::NotFound => LoadError::new(text),
        FetchError::Failed(_) => LoadError::passing(text),
    }
}

fn is_commit(text: &str) -> bool {
    text.len() == 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Accepts `owner/name`, or `name` for the oldest models.
fn is_model_name(name: &str) -> bool {
    is_path(name) && name.split('/').count() <= 2
}

/// Accepts names with slashes between, none of which leads elsewhere in a folder or a URL.
fn is_path(text: &str) -> bool {
    text.split('/').all(|name| {
        let known = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        !name.is_empty() && !name.starts_with('.') && name.bytes().all(known)
    })
}

#[cfg(test)]
#[path = "hub_tests.rs"]
mod tests;
