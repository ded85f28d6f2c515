//! The operator's folder of local models. Without this limit, users who may change settings could
//! probe and read every folder of the machine.

use std::path::{Path, PathBuf};

/// The option, named in errors.
pub(super) const OPTION: &str = "--embedder-models-path";

/// Returns the folder of a model if `name` leads to one below `root`, as a relative or an absolute
/// path. Links and `..` count by where they end. All other names look alike, whether they exist or
/// not.
pub(super) fn model_folder(root: Option<&Path>, name: &str) -> Option<PathBuf> {
    let root = root?.canonicalize().ok()?;
    // An absolute path replaces the root.
    let folder = root.join(name).canonicalize().ok()?;
    let is_below = folder.starts_with(&root) && !name.is_empty();
    (is_below && folder.is_dir()).then_some(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_ends_below_the_root_is_found() {
        let machine = tempfile::tempdir().unwrap();
        let machine = machine.path().canonicalize().unwrap();
        let (root, outside) = (machine.join("models"), machine.join("outside"));
        for folder in [&root.join("owner/small"), &outside] {
            std::fs::create_dir_all(folder).unwrap();
        }
        std::fs::write(root.join("file"), "").unwrap();
        let find = |name: &str| model_folder(Some(&root), name);
        let small = root.join("owner/small");
        for name in ["owner/small", "./owner/../owner/small", small.to_str().unwrap()] {
            assert_eq!(find(name).as_ref(), Some(&small), "{name}");
        }
        for name in ["", "../outside", outside.to_str().unwrap(), "/", "..", "file", "owner/none"] {
            assert_eq!(find(name), None, "{name}");
        }
        assert_eq!(model_folder(None, small.to_str().unwrap()), None);
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&outside, root.join("link")).unwrap();
            std::os::unix::fs::symlink(&small, root.join("alias")).unwrap();
            assert_eq!(find("link"), None);
            assert_eq!(find("alias"), Some(small.clone()));
        }
    }
}
