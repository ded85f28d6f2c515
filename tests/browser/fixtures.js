// Made-up data: films with facets and vectors, and cities with places. The same on every run.

/** Small deterministic numbers, so that a run can be repeated. */
function numbers(seed) {
  let state = seed;
  return () => {
    state = (state * 1664525 + 1013904223) % 4294967296;
    return state / 4294967296;
  };
}

const FIRST = [
  'Quiet',
  'Silver',
  'Northern',
  'Burning',
  'Paper',
  'Hidden',
  'Second',
  'Glass',
  'Distant',
  'Crimson',
  'Hollow',
  'Winter',
  'Broken',
  'Velvet',
  'Iron',
  'Salt',
];
const SECOND = [
  'Harbour',
  'Garden',
  'Letters',
  'Machine',
  'Orchard',
  'Lantern',
  'Voyage',
  'Mirror',
  'River',
  'Station',
  'Empire',
  'Signal',
  'Kingdom',
  'Circus',
  'Archive',
  'Horizon',
];
const GENRES = [
  'Drama',
  'Comedy',
  'Thriller',
  'Science fiction',
  'Documentary',
  'Adventure',
  'Mystery',
  'Romance',
  'Animation',
];
const COUNTRIES = [
  'France',
  'Japan',
  'Brazil',
  'Kenya',
  'Norway',
  'India',
  'Canada',
  'Italy',
  'Korea',
  'Mexico',
  'Poland',
  'Chile',
];
const HEROES = [
  'A retired cartographer',
  'A young engineer',
  'Two sisters',
  'A lighthouse keeper',
  'An unlikely detective',
  'A travelling musician',
  'The last librarian',
  'A stubborn pilot',
];
const DEEDS = [
  'follows a trail of letters across',
  'must repair an old machine in',
  'discovers a secret garden beneath',
  'returns after twenty years to',
  'plans an impossible voyage from',
  'hears a strange signal over',
];
const PLACES = [
  'a town that the sea is slowly taking',
  'the mountains above a silent city',
  'a harbour where no ship has called for years',
  'the empty stations of the north',
  'an island that is on no map',
  'the river that divides two kingdoms',
];
const ENDS = [
  'and finds more than was lost.',
  'before the winter closes the roads.',
  'while everybody else looks away.',
  'and learns what silence costs.',
  'with nothing but a lantern and a lie.',
];

export function films(many = 240) {
  const random = numbers(7);
  const pick = (list) => list[Math.floor(random() * list.length)];
  return Array.from({ length: many }, (_, place) => ({
    id: place + 1,
    title:
      place < FIRST.length * SECOND.length
        ? `The ${FIRST[place % FIRST.length]} ${SECOND[(place * 7 + Math.floor(place / FIRST.length)) % SECOND.length]}`
        : `Untitled ${place}`,
    overview: `${pick(HEROES)} ${pick(DEEDS)} ${pick(PLACES)} ${pick(ENDS)}`,
    genres: [...new Set([pick(GENRES), pick(GENRES)])],
    country: pick(COUNTRIES),
    year: 1960 + Math.floor(random() * 64),
    rating: Math.round((4 + random() * 6) * 10) / 10,
    colour: random() > 0.2,
  }));
}

/** Name, country, latitude, longitude, inhabitants in thousands. */
const CITIES = [
  ['Amsterdam', 'Netherlands', 52.37, 4.9, 921],
  ['Athens', 'Greece', 37.98, 23.73, 643],
  ['Barcelona', 'Spain', 41.39, 2.17, 1655],
  ['Belgrade', 'Serbia', 44.79, 20.45, 1197],
  ['Bergen', 'Norway', 60.39, 5.32, 289],
  ['Berlin', 'Germany', 52.52, 13.4, 3755],
  ['Bilbao', 'Spain', 43.26, -2.93, 346],
  ['Bordeaux', 'France', 44.84, -0.58, 261],
  ['Bratislava', 'Slovakia', 48.15, 17.11, 476],
  ['Brussels', 'Belgium', 50.85, 4.35, 1222],
  ['Bucharest', 'Romania', 44.43, 26.1, 1717],
  ['Budapest', 'Hungary', 47.5, 19.04, 1686],
  ['Cologne', 'Germany', 50.94, 6.96, 1084],
  ['Copenhagen', 'Denmark', 55.68, 12.57, 660],
  ['Dublin', 'Ireland', 53.35, -6.26, 593],
  ['Edinburgh', 'United Kingdom', 55.95, -3.19, 527],
  ['Florence', 'Italy', 43.77, 11.26, 367],
  ['Gdansk', 'Poland', 54.35, 18.65, 487],
  ['Geneva', 'Switzerland', 46.2, 6.14, 203],
  ['Gothenburg', 'Sweden', 57.71, 11.97, 600],
  ['Hamburg', 'Germany', 53.55, 9.99, 1892],
  ['Helsinki', 'Finland', 60.17, 24.94, 664],
  ['Krakow', 'Poland', 50.06, 19.94, 804],
  ['Leipzig', 'Germany', 51.34, 12.37, 616],
  ['Lisbon', 'Portugal', 38.72, -9.14, 546],
  ['Ljubljana', 'Slovenia', 46.06, 14.51, 285],
  ['London', 'United Kingdom', 51.51, -0.13, 8866],
  ['Lyon', 'France', 45.76, 4.84, 522],
  ['Madrid', 'Spain', 40.42, -3.7, 3332],
  ['Manchester', 'United Kingdom', 53.48, -2.24, 568],
  ['Marseille', 'France', 43.3, 5.37, 873],
  ['Milan', 'Italy', 45.46, 9.19, 1354],
  ['Munich', 'Germany', 48.14, 11.58, 1512],
  ['Naples', 'Italy', 40.85, 14.27, 913],
  ['Oslo', 'Norway', 59.91, 10.75, 709],
  ['Palermo', 'Italy', 38.12, 13.36, 630],
  ['Paris', 'France', 48.86, 2.35, 2102],
  ['Porto', 'Portugal', 41.16, -8.63, 232],
  ['Prague', 'Czechia', 50.08, 14.44, 1357],
  ['Riga', 'Latvia', 56.95, 24.11, 605],
  ['Rome', 'Italy', 41.9, 12.5, 2755],
  ['Rotterdam', 'Netherlands', 51.92, 4.48, 664],
  ['Sarajevo', 'Bosnia and Herzegovina', 43.86, 18.41, 275],
  ['Seville', 'Spain', 37.39, -5.98, 684],
  ['Sofia', 'Bulgaria', 42.7, 23.32, 1287],
  ['Stockholm', 'Sweden', 59.33, 18.07, 985],
  ['Tallinn', 'Estonia', 59.44, 24.75, 454],
  ['Thessaloniki', 'Greece', 40.64, 22.94, 319],
  ['Toulouse', 'France', 43.6, 1.44, 504],
  ['Turin', 'Italy', 45.07, 7.69, 848],
  ['Valencia', 'Spain', 39.47, -0.38, 807],
  ['Vienna', 'Austria', 48.21, 16.37, 1982],
  ['Vilnius', 'Lithuania', 54.69, 25.28, 593],
  ['Warsaw', 'Poland', 52.23, 21.01, 1862],
  ['Zagreb', 'Croatia', 45.81, 15.98, 767],
  ['Zurich', 'Switzerland', 47.38, 8.54, 443],
];

export function cities() {
  return CITIES.map(([name, country, lat, lng, thousands], place) => ({
    id: place + 1,
    name,
    country,
    population: thousands * 1000,
    _geo: { lat, lng },
  }));
}

/** Values that nothing can break, numbers inside of objects, and vectors from elsewhere. */
export function posters() {
  return films(6).map(({ id, title, overview, country }) => ({
    id,
    title,
    overview,
    poster: `https://example.org/posters/${id}/${'x'.repeat(300)}`,
    director: { name: country, born: 1957 },
    credits: 'y'.repeat(80),
    _vectors: { own: [id, 1] },
  }));
}

/** A text that would run as markup wherever it was taken for such. */
export const HOSTILE = '<img src=x onerror="window.attacked=1"><script>window.attacked=1</script>';

const TOPICS = ['sea', 'harbour', 'machine', 'garden', 'winter', 'letters', 'music', 'mountain'];

/** Eight numbers that stand for a text: how much of each topic is in it. */
export function vectorOf(text) {
  const lower = text.toLowerCase();
  return TOPICS.map((topic, place) => 0.05 * (place + 1) + (lower.split(topic).length - 1));
}

export function csvOf(many) {
  const random = numbers(3);
  const lines = Array.from({ length: many }, (_, place) => {
    const price = (random() * 100).toFixed(2);
    return `sku-${place},"Lamp, number ${place}",${price},${random() > 0.5},${FIRST[place % FIRST.length]}`;
  });
  return `sku_id,title,price,in_stock,series\n${lines.join('\n')}\n`;
}
