//! Validates names of entries. Nothing is ever unpacked under such a name, but a name that leads
//! out of the archive shows that the archive is hostile.

/// Longer than any name in a dump.
pub(crate) const LONGEST: usize = 4096;

/// Returns the normalised name, without a leading `./`, or what is wrong with it. Empty for the
/// root folder.
pub(crate) fn plain(bytes: &[u8]) -> Result<String, &'static str> {
    if bytes.len() > LONGEST {
        return Err("has a name that is too long");
    }
    let Ok(name) = str::from_utf8(bytes) else { return Err("has a name that is no text") };
    if name.starts_with('/') {
        return Err("has an absolute name");
    }
    let mut plain = String::with_capacity(name.len());
    for part in name.split('/') {
        match part {
            "" | "." => continue,
            ".." => return Err("has a name that leads out of the archive"),
            _ if part.contains('\\') || part.chars().any(char::is_control) => {
                return Err("has a name with forbidden characters");
            }
            _ => {}
        }
        if !plain.is_empty() {
            plain.push('/');
        }
        plain.push_str(part);
    }
    Ok(plain)
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn names_stay_inside() {
        for (name, expected) in [
            ("a/b.json", Ok("a/b.json")),
            ("./a//b/", Ok("a/b")),
            ("./", Ok("")),
            ("/etc/passwd", Err("has an absolute name")),
            ("a/../../b", Err("has a name that leads out of the archive")),
            ("C:\\a", Err("has a name with forbidden characters")),
            ("a\nb", Err("has a name with forbidden characters")),
        ] {
            assert_eq!(plain(name.as_bytes()).as_deref(), expected.as_ref().copied(), "{name}");
        }
        assert!(plain(&[b'a'; 5000]).is_err());
        assert!(plain(&[0xff, 0xfe]).is_err());
    }
}
