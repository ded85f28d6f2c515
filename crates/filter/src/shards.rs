//! Conditions on the shards of documents. The caller, which knows the shard of each document, fills
//! in the documents before the filter is evaluated.

use std::sync::Arc;

use roaring::RoaringBitmap;

use crate::{Condition, Filter, ShardCondition, ShardOperator, Token};

impl ShardOperator {
    /// Returns the named shards.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let names = match self {
            ShardOperator::Equal(name) | ShardOperator::NotEqual(name) => {
                std::slice::from_ref(name)
            }
            ShardOperator::In(names) => names.as_slice(),
        };
        names.iter().map(Token::value)
    }

    /// Returns whether documents of these shards match, as opposed to all others.
    pub fn includes(&self) -> bool {
        !matches!(self, ShardOperator::NotEqual(_))
    }
}

impl Filter {
    /// Returns whether the filter has shard conditions.
    pub fn names_shards(&self) -> bool {
        any(self.condition())
    }

    /// Returns the filter with the documents of its shard conditions, as returned by `find`.
    pub fn with_shards<E>(
        &self,
        mut find: impl FnMut(&ShardOperator) -> Result<RoaringBitmap, E>,
    ) -> Result<Filter, E> {
        let mut failure = None;
        let filter = self.map(|condition| {
            filled(condition, &mut find).unwrap_or_else(|error| {
                failure = Some(error);
                condition.clone()
            })
        });
        failure.map_or(Ok(filter), Err)
    }
}

fn any(condition: &Condition) -> bool {
    match condition {
        Condition::And(members) | Condition::Or(members) => members.iter().any(any),
        Condition::Not(inner) => any(inner),
        Condition::Shard(_) => true,
        _ => false,
    }
}

fn filled<E>(
    condition: &Condition,
    find: &mut impl FnMut(&ShardOperator) -> Result<RoaringBitmap, E>,
) -> Result<Condition, E> {
    Ok(match condition {
        Condition::And(members) => Condition::And(all_filled(members, find)?),
        Condition::Or(members) => Condition::Or(all_filled(members, find)?),
        Condition::Not(inner) => Condition::Not(Box::new(filled(inner, find)?)),
        Condition::Shard(shard) => {
            let documents = Some(Arc::new(find(&shard.operator)?));
            Condition::Shard(ShardCondition { documents, ..shard.clone() })
        }
        other => other.clone(),
    })
}

fn all_filled<E>(
    members: &[Condition],
    find: &mut impl FnMut(&ShardOperator) -> Result<RoaringBitmap, E>,
) -> Result<Vec<Condition>, E> {
    members.iter().map(|member| filled(member, find)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn shard_conditions_get_their_documents_wherever_they_stand() {
        let text = "a = 1 AND (_shard IN [x, y] OR NOT _shard != z)";
        let filter = Filter::from_json(&json!(text)).unwrap().unwrap();
        assert!(filter.names_shards());
        let mut asked = Vec::new();
        let filled = filter.with_shards(|operator| {
            asked.push((
                operator.names().map(str::to_owned).collect::<Vec<_>>(),
                operator.includes(),
            ));
            Ok::<_, ()>(RoaringBitmap::from([7]))
        });
        let Condition::And(members) = filled.unwrap().canonical().condition().clone() else {
            panic!("an AND")
        };
        let Condition::Or(members) = &members[1] else { panic!("an OR") };
        let Condition::Shard(shard) = &members[0] else { panic!("a shard") };
        assert!(shard.documents.as_ref().unwrap().contains(7));
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(asked, [(names(&["x", "y"]), true), (names(&["z"]), false)]);
        assert_eq!(filter.with_shards(|_| Err(3)).map(drop), Err(3));
    }
}
