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
    : `“${bad}” is no ranking rule. Rules are ${RULE_NAMES.join(', ')}, or an attribute with :asc or :desc.`;
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
