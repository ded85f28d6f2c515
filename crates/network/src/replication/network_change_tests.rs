use super::*;

fn remote(url: &str) -> RemoteChange {
    RemoteChange { url: Patch::Set(url.to_owned()), ..RemoteChange::default() }
}

fn remotes(names: &[&str]) -> Patch<BTreeMap<String, Option<RemoteChange>>> {
    let urls = names.iter().map(|name| remote(&format!("http://{name}.example")));
    Patch::Set(names.iter().map(|name| (*name).to_owned()).zip(urls.map(Some)).collect())
}

fn names(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn shard(name: &str, owners: &[&str]) -> Patch<BTreeMap<String, Option<ShardChange>>> {
    let change = ShardChange { remotes: Some(names(owners)), ..ShardChange::default() };
    Patch::Set(BTreeMap::from([(name.to_owned(), Some(change))]))
}

fn text(text: &str) -> Patch<String> {
    Patch::Set(text.to_owned())
}

fn led() -> Network {
    let change = NetworkChange {
        name: text("a"),
        leader: text("a"),
        remotes: remotes(&["a", "b"]),
        shards: shard("s", &["a", "b"]),
    };
    change.applied_to(&Network::default()).unwrap()
}

fn refused(old: &Network, change: NetworkChange) -> Code {
    change.applied_to(old).unwrap_err().code
}

#[test]
fn every_change_has_a_version_of_its_own() {
    let first = NetworkChange::default().applied_to(&Network::default()).unwrap();
    let second = NetworkChange::default().applied_to(&first).unwrap();
    assert!(Uuid::nil() < first.version && first.version < second.version);
}

#[test]
fn a_removed_remote_leaves_its_shards_and_empty_shards_go() {
    let removed = Patch::Set(BTreeMap::from([("b".to_owned(), None)]));
    let change = NetworkChange { remotes: removed, ..NetworkChange::default() };
    let network = change.applied_to(&led()).unwrap();
    assert_eq!(network.shards["s"], names(&["a"]));
    let cleared =
        NetworkChange { leader: Patch::Clear, remotes: Patch::Clear, ..NetworkChange::default() };
    let network = cleared.applied_to(&network).unwrap();
    assert!(network.shards.is_empty() && network.remotes.is_empty());
}

#[test]
fn owners_are_replaced_then_added_then_removed() {
    let change = ShardChange {
        remotes: Some(names(&["a", "c"])),
        add: names(&["d"]),
        remove: names(&["c", "x"]),
    };
    let shards = Patch::Set(BTreeMap::from([("s".to_owned(), Some(change))]));
    let network = NetworkChange { shards, ..NetworkChange::default() };
    let network = network.applied_to(&Network::default()).unwrap();
    assert_eq!(network.shards["s"], names(&["a", "d"]));
}

#[test]
fn keys_are_merged_one_by_one() {
    let key = |text: &str| Patch::Set(Secret::new(text));
    let with = |change| NetworkChange {
        remotes: Patch::Set(BTreeMap::from([("a".to_owned(), Some(change))])),
        ..NetworkChange::default()
    };
    let first = RemoteChange {
        search_api_key: key("s"),
        write_api_key: key("w"),
        ..remote("http://a.example")
    };
    let network = with(first).applied_to(&Network::default()).unwrap();
    let second = RemoteChange { search_api_key: Patch::Clear, ..RemoteChange::default() };
    let remote = &with(second).applied_to(&network).unwrap().remotes["a"];
    assert_eq!(remote.search_api_key, None);
    assert_eq!(remote.write_api_key.as_ref().map(Secret::expose), Some("w"));
    assert_eq!(remote.url, "http://a.example");
}

#[test]
fn a_network_with_a_leader_is_complete() {
    let old = Network::default();
    let change = |name: &str, leader: &str, remote: &[&str], owners: &[&str]| NetworkChange {
        name: text(name),
        leader: text(leader),
        remotes: remotes(remote),
        shards: shard("s", owners),
    };
    assert_eq!(refused(&old, change("b", "a", &["a", "b"], &["a"])), Code::NotLeader);
    let unnamed = NetworkChange { name: Patch::Keep, ..change("", "a", &["a"], &["a"]) };
    assert_eq!(refused(&old, unnamed), Code::NotLeader);
    assert_eq!(refused(&old, change("a", "a", &["b"], &["b"])), Code::InvalidNetworkRemotes);
    assert_eq!(refused(&old, change("a", "a", &["a"], &[])), Code::InvalidNetworkShards);
    assert_eq!(refused(&old, change("a", "a", &["a"], &["a", "z"])), Code::InvalidNetworkShards);
    let renamed = NetworkChange { name: text("b"), leader: text("b"), ..NetworkChange::default() };
    assert_eq!(refused(&led(), renamed), Code::InvalidNetworkSelf);
    let alone = || NetworkChange { name: text("x"), ..NetworkChange::default() };
    assert_eq!(refused(&led(), alone()), Code::InvalidNetworkSelf);
    let member = Network { name: Some("b".to_owned()), ..led() };
    assert_eq!(refused(&member, alone()), Code::NotLeader);
    // Without a leader an instance may be renamed.
    let left = NetworkChange { name: text("b"), leader: Patch::Clear, ..NetworkChange::default() };
    assert_eq!(left.applied_to(&led()).unwrap().name.as_deref(), Some("b"));
}
