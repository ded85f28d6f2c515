//! Entry points of the fuzz targets, which read bodies of searches exactly as the routes do. The
//! types of bodies stay private to this crate.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, header};
use engine::search::AnswerBudget;
use model::{Features, ServiceError};

use super::multi_search::body::MultiSearchBody;
use super::search::body::SearchBody;
use super::search::validated_search::ValidatedSearch;
use crate::bounds::Bounds;
use crate::http::json;
use crate::http::limits::Limits;

/// Reads the body of `POST /indexes/{uid}/search`, and checks what can be checked without an index.
pub async fn read_search_body(body: Vec<u8>) -> Result<(), ServiceError> {
    let body: SearchBody = read(body).await?;
    let (bounds, budget) = (Bounds::default(), AnswerBudget::default());
    ValidatedSearch::new(body, &Features::default(), &bounds, &budget).map(drop)
}

/// Reads the body of `POST /multi-search`.
pub async fn read_multi_search_body(body: Vec<u8>) -> Result<(), ServiceError> {
    read::<MultiSearchBody>(body).await.map(drop)
}

async fn read<T>(body: Vec<u8>) -> Result<T, ServiceError>
where
    T: deserr::Deserr<json::BodyError> + Send + 'static,
{
    let mut headers = HeaderMap::new();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let limits = Limits::new(Bounds::default());
    let (value, _) = json::read(&headers, Body::from(body), limits.searching()).await?;
    Ok(value)
}
