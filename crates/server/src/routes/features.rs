//! `/experimental-features`: reads and switches experimental features.

use deserr::{
    DeserializeError, Deserr, ErrorKind, IntoValue, Map, Value, ValueKind, ValuePointerRef,
    take_cf_content,
};
use model::features::Feature;

use crate::app::App;
use crate::call::{Answer, Call};
use crate::http::answer;
use crate::routes::usage;

pub async fn get(app: App, _call: Call) -> Answer {
    Ok(answer::ok(&app.engine.shown_features()))
}

pub async fn update(app: App, mut call: Call) -> Answer {
    let Changes(changes) = call.json().await?;
    let features = app.blocking(move |engine| engine.change_features(&changes)).await?;
    app.record(&call.headers, || usage::features_updated(features));
    Ok(answer::ok(&app.engine.shown_features()))
}

/// Features to switch. The fields come from the table of features, so none is named here.
struct Changes(Vec<(Feature, bool)>);

impl<E: DeserializeError> Deserr<E> for Changes {
    fn deserialize_from_value<V: IntoValue>(
        value: Value<V>,
        at: ValuePointerRef<'_>,
    ) -> Result<Self, E> {
        let fields = match value {
            Value::Map(fields) => fields,
            actual => {
                let kind = ErrorKind::IncorrectValueKind { actual, accepted: &[ValueKind::Map] };
                return Err(take_cf_content(E::error(None, kind, at)));
            }
        };
        let mut changes = Vec::new();
        for (name, value) in fields.into_iter() {
            let Some(feature) = Feature::ALL.iter().find(|f| f.wire_name() == name) else {
                let accepted: Vec<&str> = Feature::ALL.iter().map(|f| f.wire_name()).collect();
                let kind = ErrorKind::UnknownKey { key: &name, accepted: &accepted };
                return Err(take_cf_content(E::error::<V>(None, kind, at)));
            };
            let place = at.push_key(&name);
            if let Some(on) = Option::<bool>::deserialize_from_value(value.into_value(), place)? {
                changes.push((*feature, on));
            }
        }
        Ok(Changes(changes))
    }
}
