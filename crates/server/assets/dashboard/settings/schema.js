// How the settings of an index are shown: in the order in which people look for them, and with
// special controls for some. All else about them comes from the table of the server.

import { RANKING_RULES, SETTINGS } from './table.js';

const RULE_NAMES = RANKING_RULES.map(({ name }) => name);

// Settings that the server shows only where they are set.
export const OWN_DEFAULTS = Object.fromEntries(
  SETTINGS.filter(({ isOwn }) => isOwn).map((setting) => [setting.name, setting.default]),
);

// A setting without a place is shown in the last section.
const PLACES = [
  [
    'Search',
    [
<<<<<<< HEAD
      'searchableAttributes',
      'rankingRules',
      'boosts',
      'attributeWeights',
      'typoTolerance',
      'synonyms',
      'stopWords',
      'proximityPrecision',
      'prefixSearch',
      'stemming',
      'searchCutoffMs',
    ],
  ],
  [
    'Filters and sorting',
    ['filterableAttributes', 'sortableAttributes', 'distinctAttribute', 'faceting', 'facetSearch'],
=======
      [
        'searchableAttributes',
        'names',
        'Attributes to search, most important first. * means all.',
        { ordered: true, fields: true },
      ],
      [
        'rankingRules',
        'names',
        'Rules that order hits, applied one after the other.',
        { ordered: true, suggestions: RANKING_RULES, check: checkRankingRules },
      ],
      [
        'boosts',
        'json',
        'Conditions that raise documents, besides the query: [{"filter": "inStock = true", "weight": 2}], or null.',
      ],
      [
        'attributeWeights',
        'json',
        'Weights of attributes under the rule bm25: {"title": 3, "body": 1}, or null.',
      ],
      ['typoTolerance', 'typos', 'Number of typos allowed per word, and where typo tolerance is disabled.'],
      [
        'synonyms',
        'synonyms',
        'Words that also find other words. One-way: add both directions for mutual synonyms.',
      ],
      [
        'stopWords',
        'stopWords',
        'Words that are ignored in documents and queries: lists for languages, and your own words.',
      ],
      [
        'proximityPrecision',
        'choice',
        'Whether proximity is the distance in words, or only whether words share an attribute.',
        { choices: ['byWord', 'byAttribute'] },
      ],
      [
        'prefixSearch',
        'choice',
        'Whether the last word of a query also matches as a prefix.',
        { choices: ['indexingTime', 'disabled'] },
      ],
      [
        'stemming',
        'json',
        'Matches words with the same stem: {"languages": ["auto"]}, or null.',
      ],
      [
        'searchCutoffMs',
        'number',
        'Time limit for ranking, in milliseconds. Empty means 1500.',
        { least: 0 },
      ],
    ],
  ],
  [
    'Filters and sorting',
    [
      [
        'filterableAttributes',
        'filterable',
        'Attributes that can be used in filters and facets.',
        { fields: true },
      ],
      ['sortableAttributes', 'names', 'Attributes that hits can be sorted by.', { fields: true }],
      [
        'distinctAttribute',
        'text',
        'Only the best hit is returned for each value of this attribute.',
        { fields: true },
      ],
      ['faceting', 'faceting', 'Maximum number of values per facet, and their order.'],
      ['facetSearch', 'switch', 'Whether facet values can be searched.'],
    ],
  ],
  [
    'Results',
    [
      [
        'displayedAttributes',
        'names',
        'Attributes to return in hits. * means all.',
        { fields: true },
      ],
      ['pagination', 'pagination', 'Maximum number of hits that a search can return.'],
    ],
  ],
  [
    'Language',
    [
      ['localizedAttributes', 'json', 'Languages of attributes: a list of {attributePatterns, locales}.'],
      ['separatorTokens', 'names', 'Additional strings that separate words.'],
      ['nonSeparatorTokens', 'names', 'Strings that do not separate words, although they do by default.'],
      ['dictionary', 'names', 'Words that are never split.'],
    ],
  ],
  [
    'Vectors and more',
    [
      ['embedders', 'json', 'Sources of vectors, by name. Set one to null to remove it.'],
      [
        'rerankers',
        'json',
        'Models that reorder the first hits of a search, by name. Set one to null to remove it.',
      ],
      ['foreignKeys', 'json', 'Fields that contain ids of documents in another index.'],
      ['chat', 'json', 'How chat searches this index.'],
    ],
>>>>>>> words
  ],
  ['Results', ['displayedAttributes', 'pagination']],
  ['Language', ['localizedAttributes', 'separatorTokens', 'nonSeparatorTokens', 'dictionary']],
  ['Vectors and more', ['embedders', 'rerankers', 'foreignKeys', 'chat']],
];

const SPECIAL = {
  searchableAttributes: { ordered: true, fields: true },
  rankingRules: { ordered: true, suggestions: RULE_NAMES, check: checkRankingRules },
  boosts: { example: '[{"filter": "inStock = true", "weight": 2}]' },
  attributeWeights: { example: '{"title": 3, "body": 1}' },
  typoTolerance: { control: 'typos' },
  synonyms: { control: 'synonyms' },
  stopWords: { control: 'stopWords' },
  stemming: { example: '{"languages": ["auto"]}' },
  filterableAttributes: { control: 'filterable', fields: true },
  sortableAttributes: { fields: true },
  distinctAttribute: { fields: true },
  faceting: { control: 'faceting' },
  displayedAttributes: { fields: true },
  pagination: { control: 'pagination' },
};

/** Sections of settings: a title, and each setting with its control, help and options. */
export const SECTIONS = PLACES.map(([title, places], section) => {
  const isLast = section === PLACES.length - 1;
  const placed = places.map((name) => SETTINGS.find((setting) => setting.name === name));
  const others = SETTINGS.filter(({ name }) => !PLACES.some(([, names]) => names.includes(name)));
  return [title, [...placed, ...(isLast ? others : [])].map(shown)];
});

function shown({ name, control, choices, help }) {
  const special = SPECIAL[name] ?? {};
  const text = special.example ? `${help} Example: ${special.example}` : help;
  return [name, special.control ?? control, text, { choices, ...special }];
}

function checkRankingRules(rules) {
  const bad = rules.find((rule) => !RULE_NAMES.includes(rule) && !/^.+:(asc|desc)$/.test(rule));
  return bad === undefined
    ? null
<<<<<<< HEAD
    : `“${bad}” is no ranking rule. Rules are ${RULE_NAMES.join(', ')}, or an attribute with :asc or :desc.`;
=======
    : `“${bad}” is not a ranking rule. Rules are ${RANKING_RULES.join(', ')}, or an attribute with :asc or :desc.`;
>>>>>>> words
}

/** The setting that an error is about: its code says so, and where it does not, its message. */
export function settingOf(error, names) {
  if (error.code?.includes('embed') && names.includes('embedders')) return 'embedders';
  const byCode = SETTINGS.find(({ name, code }) => code === error.code && names.includes(name));
  return (
    byCode?.name ??
    names.find((name) => error.message?.includes(`\`.${name}`) || error.message?.includes(`\`${name}\``)) ??
    (names.length === 1 ? names[0] : undefined)
  );
}
