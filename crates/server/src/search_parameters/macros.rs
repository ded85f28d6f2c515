//! The macros that make types and descriptions from the rows of the table of search parameters.

/// Reads the rows one by one and sorts them into those of bodies, of the query string, of what both
/// have, of what is assembled from parts, and of facet searches.
macro_rules! search_parameters {
    (
        { $bodies:tt $query:tt $plain:tt $assembled:tt [$($facet:tt)*] }
        #[facet_search] $name:ident: $form:ty, $code:ident, $help:expr
            $(, in query { $($part:tt)* })?; $($rest:tt)*
    ) => {
        search_parameters! {
            { $bodies $query $plain $assembled [$($facet)* ($name [$form] [] $code $help)] }
            $name: $form, $code, $help $(, in query { $($part)* })?; $($rest)*
        }
    };
    (
        { [$($bodies:tt)*] [$($query:tt)*] $plain:tt [$($assembled:tt)*] $facet:tt }
        $(#[$own:ident])? $name:ident: $form:ty, $code:ident, $help:expr, in query {
            $($(#[$first_own:ident])? $first:ident: $first_form:ty, $first_code:ident, $first_help:expr;
            $($(#[$part_own:ident])? $part:ident: $part_form:ty, $part_code:ident, $part_help:expr;)*)?
        }; $($rest:tt)*
    ) => {
        search_parameters! {
            {
                [$($bodies)* ($name [$form] [] $code $help $($own)?)]
                [
                    $($query)*
                    $(($first [$first_form] [] $first_code $first_help 0 $($first_own)?)
                    $(($part [$part_form] [] $part_code $part_help 1 $($part_own)?))*)?
                ]
                $plain
                [$($assembled)* ($name [$form])]
                $facet
            }
            $($rest)*
        }
    };
    (
        { [$($bodies:tt)*] [$($query:tt)*] [$($plain:tt)*] $assembled:tt $facet:tt }
        $(#[$own:ident])? $name:ident: $form:ty $(= $default:expr)?, $code:ident, $help:expr;
        $($rest:tt)*
    ) => {
        search_parameters! {
            {
                [$($bodies)* ($name [$form] [$($default)?] $code $help $($own)?)]
                [$($query)* ($name [$form] [$($default)?] $code $help 0 $($own)?)]
                [$($plain)* ($name [$form] [$($default)?])]
                $assembled
                $facet
            }
            $($rest)*
        }
    };
    ({ $($rows:tt)* }) => { types! { $($rows)* } };
}

/// Makes the types and the descriptions from the sorted rows.
macro_rules! types {
    (
        [$(($name:ident [$form:ty] [$($default:expr)?] $code:ident $help:tt $($own:ident)?))*]
        [$((
            $query:ident [$query_form:ty] [$($query_default:expr)?] $query_code:ident
            $query_help:tt $place:tt $($query_own:ident)?
        ))*]
        [$(($plain:ident [$plain_form:ty] [$($plain_default:expr)?]))*]
        [$(($assembled:ident [$assembled_form:ty]))*]
        [$(($facet:ident [$facet_form:ty] [] $facet_code:ident $facet_help:tt))*]
    ) => {
        /// The JSON body of a search. Query strings are converted to it.
        #[derive(Debug, Deserr)]
        #[deserr(error = BodyError, rename_all = camelCase, deny_unknown_fields = unknown_field)]
        pub struct SearchBody {
            $(
                #[deserr(
                    default $(= <$form as WithDefault>::unsent($default))?,
                    error = body_code!($code)
                )]
                pub $name: <$form as Parameter>::Value,
            )*
        }

        /// A query of a multi-search.
        #[derive(Debug, Deserr)]
        #[deserr(error = BodyError, rename_all = camelCase, deny_unknown_fields = unknown_field)]
        pub struct QueryBody {
            #[deserr(error = body_code!(InvalidIndexUid), missing_field_error = missing_index_uid)]
            pub index_uid: IndexUid,
            $(
                #[deserr(
                    default $(= <$form as WithDefault>::unsent($default))?,
                    error = body_code!($code)
                )]
                pub $name: <$form as Parameter>::Value,
            )*
            #[deserr(default)]
            pub federation_options: Option<FederationOptions>,
        }

        impl QueryBody {
            /// Returns the query position to show in hits, if it differs from the index of the
            /// query.
            pub fn position(&self) -> Option<usize> {
                self.federation_options.as_ref()?.query_position
            }

            pub fn into_parts(self) -> (IndexUid, SearchBody, Option<FederationOptions>) {
                let body = SearchBody { $($name: self.$name,)* };
                (self.index_uid, body, self.federation_options)
            }
        }

        /// The query string of a search.
        #[derive(Debug, Deserr)]
        #[deserr(
            error = QueryError, rename_all = camelCase, deny_unknown_fields = unknown_parameter
        )]
        pub struct SearchParameters {
            $(
                #[deserr(default, error = query_code!($query_code))]
                pub $query: Option<<$query_form as InQuery>::Form>,
            )*
        }

        impl SearchParameters {
            pub fn into_body(self) -> Result<SearchBody, ServiceError> {
                $(let $assembled = <$assembled_form as Assembled>::assembled(&self)?;)*
                Ok(SearchBody {
                    $($assembled,)*
                    $($plain: match self.$plain {
                        Some(sent) => <$plain_form as InQuery>::read(sent),
                        None => first!(
                            $(<$plain_form as WithDefault>::unsent($plain_default),)?
                            Default::default()
                        ),
                    },)*
                })
            }
        }

        /// The body of a facet search.
        #[derive(Debug, Deserr)]
        #[deserr(error = BodyError, rename_all = camelCase)]
        pub struct FacetSearchBody {
            #[deserr(default, error = body_code!(InvalidFacetSearchQuery))]
            pub facet_query: Option<String>,
            #[deserr(
                error = body_code!(InvalidFacetSearchFacetName),
                missing_field_error = missing_facet_name
            )]
            pub facet_name: String,
            #[deserr(default, error = body_code!(InvalidFacetSearchExhaustiveFacetCount))]
            pub exhaustive_facet_count: Option<bool>,
            $(
                #[deserr(default, error = body_code!($facet_code))]
                pub $facet: <$facet_form as Parameter>::Value,
            )*
        }

        /// Describes the members of a body.
        pub fn members() -> Vec<Member> {
            vec![$(
                maybe(
                    &camel_case(stringify!($name)),
                    <$form as Parameter>::schema()$(.default(json!($default)))?,
                    $help,
                )
                .code(Code::$code),
            )*]
        }

        /// Describes the parameters of a query string. Of an object, all parts but the first stand
        /// at the end.
        pub fn query_members() -> Vec<Member> {
            let mut members = vec![$((
                $place,
                maybe(
                    &camel_case(stringify!($query)),
                    <$query_form as InQuery>::schema()$(.default(json!($query_default)))?,
                    $query_help,
                )
                .code(Code::$query_code),
            ),)*];
            members.sort_by_key(|(place, _)| *place);
            members.into_iter().map(|(_, member)| member).collect()
        }

        /// Describes the members that the body of a facet search shares with that of a search.
        pub fn facet_members() -> Vec<Member> {
            vec![$(
                maybe(
                    &camel_case(stringify!($facet)),
                    <$facet_form as Parameter>::schema(),
                    $facet_help,
                )
                .code(Code::$facet_code),
            )*]
        }

        /// Names of parameters, each with whether Meilisearch lacks it.
        const NAMES: &[(&str, bool)] = &[
            $((stringify!($name), first!($(is_own!($own),)? false)),)*
            $((stringify!($query), first!($(is_own!($query_own),)? false)),)*
        ];
    };
}

macro_rules! first {
    ($first:expr $(, $rest:expr)*) => {
        $first
    };
}

macro_rules! is_own {
    (own) => {
        true
    };
}
