//! The files of the dashboard, compiled in. They are served as they are in `assets/dashboard`:
//! there is no build step, and a test compares this list with the folder. Only `table.js` is made
//! here.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::LazyLock;

use axum::http::HeaderValue;

use super::table;

pub struct Asset {
    /// Folder and file, as in the URL.
    pub path: &'static str,
    pub bytes: &'static [u8],
}

macro_rules! assets {
    ($($path:literal,)*) => {
        &[$(Asset {
            path: $path,
            bytes: include_bytes!(concat!("../../../assets/dashboard/", $path)),
        }),*]
    };
}

pub static PAGE: Asset =
    Asset { path: "index.html", bytes: include_bytes!("../../../assets/dashboard/index.html") };

static TABLE: LazyLock<Asset> =
    LazyLock::new(|| Asset { path: "settings/table.js", bytes: table::MODULE.as_bytes() });

static FILES: &[Asset] = assets![
    "core/api.js",
    "core/app.js",
    "core/charts.js",
    "core/dialog.js",
    "core/dom.js",
    "core/format.js",
    "core/icon.svg",
    "core/icons.js",
    "core/instance.js",
    "core/keyboard.js",
    "core/live.js",
    "core/marks.js",
    "core/parts.js",
    "core/router.js",
    "core/saved.js",
    "core/sidebar.js",
    "core/theme.js",
    "core/toast.js",
    "core/unlock.js",
    "core/waiting.js",
    "css/base.css",
    "css/controls.css",
    "css/data.css",
    "css/dialog.css",
    "css/effect.css",
    "css/hits.css",
    "css/import.css",
    "css/map.css",
    "css/parts.css",
    "css/search.css",
    "css/settings.css",
    "css/shell.css",
    "css/tasks.css",
    "css/tokens.css",
    "import/csv.js",
    "import/pieces.js",
    "import/plan.js",
    "import/preview.js",
    "import/rows.js",
    "import/scan.js",
    "import/send.js",
    "import/sniff.js",
    "import/unpack.js",
    "import/view.js",
    "indexes/detail.js",
    "indexes/fields.js",
    "indexes/list.js",
    "keys/form.js",
    "keys/view.js",
    "search/about.js",
    "search/chips.js",
    "search/document.js",
    "search/explain.js",
    "search/facets.js",
    "search/filter.js",
    "search/hits.js",
    "search/keys.js",
    "search/map.js",
    "search/pages.js",
    "search/places.js",
    "search/projection.js",
    "search/request.js",
    "search/saved.js",
    "search/shape.js",
    "search/state.js",
    "search/timing.js",
    "search/toolbar.js",
    "search/view.js",
    "settings/changes.js",
    "settings/compare.js",
    "settings/controls.js",
    "settings/effect.js",
    "settings/effect_view.js",
    "settings/lists.js",
    "settings/schema.js",
    "settings/view.js",
    "tasks/batch_rows.js",
    "tasks/task_rows.js",
    "tasks/view.js",
    "tasks/words.js",
    "webhooks/view.js",
];

/// An `ETag` that changes with any file of the dashboard, so that browsers fetch new files. Weak,
/// because the same file is also sent compressed.
pub static TAG: LazyLock<HeaderValue> = LazyLock::new(|| {
    let mut hasher = DefaultHasher::new();
    for asset in FILES.iter().chain([&PAGE, &*TABLE]) {
        (asset.path, asset.bytes).hash(&mut hasher);
    }
    let tag = format!("W/\"{:016x}\"", hasher.finish());
    // Hexadecimal digits and quotes are always valid in a header.
    HeaderValue::from_str(&tag).unwrap_or_else(|_| HeaderValue::from_static("W/\"0\""))
});

pub fn find(folder: &str, file: &str) -> Option<&'static Asset> {
    let mut assets = FILES.iter().chain([&*TABLE]);
    assets.find(|asset| asset.path.split_once('/') == Some((folder, file)))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::routes::shown;

    fn in_folder(folder: &Path, prefix: &str) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{prefix}{}", entry.file_name().to_str().unwrap());
            if entry.file_type().unwrap().is_dir() {
                found.extend(in_folder(&entry.path(), &format!("{name}/")));
            } else {
                found.insert(name);
            }
        }
        found
    }

    #[test]
    fn every_file_of_the_folder_is_compiled_in() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/dashboard");
        let listed: BTreeSet<String> =
            FILES.iter().chain([&PAGE]).map(|asset| asset.path.to_owned()).collect();
        assert_eq!(in_folder(&folder, ""), listed);
    }

    #[test]
    fn every_file_has_a_type_that_browsers_take() {
        for asset in FILES.iter().chain([&PAGE]) {
            assert_ne!(shown::kind_of(asset.path), "application/octet-stream", "{}", asset.path);
        }
    }

    #[test]
    fn assets_have_no_inline_code_and_parse_no_markup() {
        for asset in FILES.iter().chain([&PAGE]) {
            let text = std::str::from_utf8(asset.bytes).unwrap();
            for word in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("]
            {
                assert!(!text.contains(word), "{}: {word}", asset.path);
            }
            assert!(
                !text.contains("https://") || text.contains("https://example.org"),
                "{}",
                asset.path
            );
        }
        let page = std::str::from_utf8(PAGE.bytes).unwrap();
        for word in ["<style", "style=", "<script>", " onclick", "javascript:"] {
            assert!(!page.contains(word), "{word}");
        }
    }
}
