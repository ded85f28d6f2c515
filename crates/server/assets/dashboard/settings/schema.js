// The settings of an index in the order in which people look for them: their control, what they
// do, and what can be checked before anything is sent.

const RANKING_RULES = [
  'words',
  'typo',
  'proximity',
  'attributeRank',
  'sort',
  'wordPosition',
  'exactness',
  'attribute',
  'bm25',
  'boost',
];

// Settings that the server shows only where they are set.
export const OWN_DEFAULTS = { stemming: null, boosts: null, attributeWeights: null, rerankers: {} };

export const SECTIONS = [
  [
    'Search',
    [
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
  ],
];

function checkRankingRules(rules) {
  const bad = rules.find((rule) => !RANKING_RULES.includes(rule) && !/^.+:(asc|desc)$/.test(rule));
  return bad === undefined
    ? null
    : `“${bad}” is not a ranking rule. Rules are ${RANKING_RULES.join(', ')}, or an attribute with :asc or :desc.`;
}

/** The setting that an error is about: its code says so, and where it does not, its message. */
export function settingOf(error, names) {
  const snake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  if (error.code?.includes('embed') && names.includes('embedders')) return 'embedders';
  return (
    names.find((name) => error.code === `invalid_settings_${name === 'chat' ? 'index_chat' : snake(name)}`) ??
    names.find((name) => error.message?.includes(`\`.${name}`) || error.message?.includes(`\`${name}\``)) ??
    (names.length === 1 ? names[0] : undefined)
  );
}
