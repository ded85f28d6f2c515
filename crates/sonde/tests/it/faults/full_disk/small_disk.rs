//! A file system of a few megabytes in a namespace of its own, so that it can be filled without
//! harm and needs no rights of an administrator where the kernel lets users have namespaces. A
//! process that only sleeps keeps it while the server comes and goes.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::fs::{FallocateFlags, fallocate, statvfs};
use tempfile::TempDir;

use crate::support::process::{PROGRAM, Server, remove_our_variables};

const MOUNT_LIMIT: Duration = Duration::from_secs(30);

pub struct SmallDisk {
    /// Its place, which is empty outside of the namespace.
    folder: TempDir,
    /// Folder outside the disk, for the log.
    beside: TempDir,
    keeper: Child,
    has_users: bool,
}

impl SmallDisk {
    /// `Err` with the reason where it cannot be had here.
    pub fn mount(bytes: u64) -> Result<Self, String> {
        let mut reasons = Vec::new();
        // As a user who may make namespaces; as an administrator.
        for has_users in [true, false] {
            match Self::try_mount(bytes, has_users) {
                Ok(disk) => return Ok(disk),
                Err(reason) => reasons.push(reason),
            }
        }
        Err(reasons.join("; "))
    }

    fn try_mount(bytes: u64, has_users: bool) -> Result<Self, String> {
        let folder = tempfile::tempdir().expect("a folder");
        let beside = tempfile::tempdir().expect("a folder");
        let errors = beside.path().join("mount");
        let script = format!(
            "mount -t tmpfs -o size={bytes} tmpfs {} && exec sleep 3600",
            folder.path().display()
        );
        let spawned = Command::new("unshare")
            .args(if has_users { &["-r", "-m"][..] } else { &["-m"] })
            .args(["sh", "-c", &script])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(&errors).expect("a file"))
            .spawn();
        let keeper = spawned.map_err(|error| format!("unshare: {error}"))?;
        let mut disk = Self { folder, beside, keeper, has_users };
        let start = Instant::now();
        while !disk.is_mounted() {
            let has_ended = disk.keeper.try_wait().is_ok_and(|ended| ended.is_some());
            if has_ended || start.elapsed() > MOUNT_LIMIT {
                let said = fs::read_to_string(&errors).unwrap_or_default();
                return Err(said.trim().to_owned());
            }
            sleep(Duration::from_millis(5));
        }
        Ok(disk)
    }

    fn is_mounted(&self) -> bool {
        let mounts = fs::read_to_string(format!("/proc/{}/mounts", self.keeper.id()));
        let folder = self.folder.path().to_string_lossy().into_owned();
        mounts.is_ok_and(|mounts| mounts.contains(&folder))
    }

    /// The disk as it is seen from outside.
    fn path(&self) -> PathBuf {
        let inside = self.folder.path().strip_prefix("/").expect("an absolute path");
        Path::new(&format!("/proc/{}/root", self.keeper.id())).join(inside)
    }

    /// A command for the program, run on the disk.
    pub fn command(&self) -> Command {
        let mut command = Command::new("nsenter");
        command.args(["-t", &self.keeper.id().to_string(), "-m"]);
        if self.has_users {
            command.args(["-U", "--preserve-credentials"]);
        }
        command.args(["sh", "-c", "cd \"$1\" && shift && exec \"$@\"", "sh"]);
        command.arg(self.folder.path()).arg(PROGRAM).stdin(Stdio::null());
        remove_our_variables(&mut command);
        command
    }

    pub fn start(&self, arguments: &[impl AsRef<OsStr>]) -> Server {
        Server::spawn_command(self.command(), self.beside.path(), arguments)
    }

    pub fn free_bytes(&self) -> u64 {
        let disk = statvfs(self.path()).expect("the disk can be asked");
        disk.f_bavail * disk.f_frsize
    }

    /// Takes up room until only so much is left; gives some back where there is less.
    pub fn leave(&self, bytes: u64) {
        let file = File::options().create(true).truncate(false).write(true).open(self.ballast());
        let file = file.expect("a file for ballast");
        // The server may take room or give some back meanwhile.
        for _ in 0..5 {
            let held = file.metadata().expect("the size of the ballast").len();
            let wanted = (held + self.free_bytes()).saturating_sub(bytes);
            if wanted <= held {
                file.set_len(wanted).expect("ballast can be given back");
                return;
            }
            if fallocate(&file, FallocateFlags::empty(), 0, wanted).is_ok() {
                return;
            }
        }
    }

    pub fn clear(&self) {
        let _ = fs::remove_file(self.ballast());
    }

    fn ballast(&self) -> PathBuf {
        self.path().join("ballast")
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // With its last process the namespace goes, and the disk with it.
        let _ = self.keeper.kill();
        let _ = self.keeper.wait();
    }
}
