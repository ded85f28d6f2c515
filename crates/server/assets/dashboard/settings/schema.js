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
        'Attributes that are searched, the most important first. * stands for all.',
        { ordered: true, fields: true },
      ],
      [
        'rankingRules',
        'names',
        'Rules that put hits in order, applied one after the other.',
        { ordered: true, suggestions: RANKING_RULES, check: checkRankingRules },
      ],
      [
        'boosts',
        'json',
        'What raises hits beside the words: [{"filter": "inStock = true", "weight": 2}], or null.',
      ],
      [
        'attributeWeights',
        'json',
        'What attributes weigh under the rule bm25: {"title": 3, "body": 1}, or null.',
      ],
      ['typoTolerance', 'typos', 'How many typos a word may have, and where none are allowed.'],
      [
        'synonyms',
        'synonyms',
        'Words that also find others. One way: write both directions if both are meant.',
      ],
      [
        'stopWords',
        'stopWords',
        'Words that are left out of texts and queries: the usual ones of languages, and others.',
      ],
      [
        'proximityPrecision',
        'choice',
        'Whether nearness counts words, or only whether they share an attribute.',
        { choices: ['byWord', 'byAttribute'] },
      ],
      [
        'prefixSearch',
        'choice',
        'Whether the last word is found by its beginning.',
        { choices: ['indexingTime', 'disabled'] },
      ],
      [
        'stemming',
        'json',
        'Words that are found by others of the same stem: {"languages": ["auto"]}, or null.',
      ],
      [
        'searchCutoffMs',
        'number',
        'Time after which ranking stops, in milliseconds. Empty means 1500.',
        { least: 0 },
      ],
    ],
  ],
  [
    'Filters and order',
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
        'Of hits that share a value of this attribute only the first is shown.',
        { fields: true },
      ],
      ['faceting', 'faceting', 'How many values a facet shows, and in which order.'],
      ['facetSearch', 'switch', 'Whether values of facets can be searched.'],
    ],
  ],
  [
    'Results',
    [
      [
        'displayedAttributes',
        'names',
        'Attributes that are shown in hits. * stands for all.',
        { fields: true },
      ],
      ['pagination', 'pagination', 'How far one can page through hits.'],
    ],
  ],
  [
    'Language',
    [
      ['localizedAttributes', 'json', 'Languages of attributes: a list of {attributePatterns, locales}.'],
      ['separatorTokens', 'names', 'Texts that separate words beside the usual ones.'],
      ['nonSeparatorTokens', 'names', 'Texts that do not separate words although they usually do.'],
      ['dictionary', 'names', 'Words that are never cut.'],
    ],
  ],
  [
    'Vectors and more',
    [
      ['embedders', 'json', 'Where vectors come from, by name. Set one to null to remove it.'],
      [
        'rerankers',
        'json',
        'What orders the first hits of a search anew, by name. Set one to null to remove it.',
      ],
      ['foreignKeys', 'json', 'Fields that hold ids of documents of another index.'],
      ['chat', 'json', 'What a conversation may know of this index.'],
    ],
  ],
];

function checkRankingRules(rules) {
  const bad = rules.find((rule) => !RANKING_RULES.includes(rule) && !/^.+:(asc|desc)$/.test(rule));
  return bad === undefined
    ? null
    : `“${bad}” is no ranking rule. Rules are ${RANKING_RULES.join(', ')}, or an attribute with :asc or :desc.`;
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
