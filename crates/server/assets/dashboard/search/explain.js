// Why a hit stands where it stands, from the details of its ranking score: what each rule said of
// it, beside what it said of another hit, and the first rule in which the two differ.

import { freshId, h } from '../core/dom.js';
import { inline, json, metres, plural } from '../core/format.js';
import { RANKING_RULES } from '../settings/table.js';

const NAMES = {
  ...Object.fromEntries(RANKING_RULES.map(({ name, title }) => [name, title])),
  vectorSort: 'Meaning',
  fusion: 'Words and meaning',
  skipped: 'Time limit reached',
  pin: 'Pinned',
  rerank: 'Reranker',
};
const EXACTNESS = { exactMatch: 'whole value', matchesStart: 'start of value', noExactMatch: 'not exact' };

/** The rules of a hit in their order: name, score from 0 to 1 or none, and words for it. */
export function rulesOf(hit) {
  const details = Object.entries(hit._rankingScoreDetails ?? {});
  // What a reranker says of a hit comes last and decides first.
  const place = ([key, detail]) => (key === 'rerank' ? -1 : (detail.order ?? 0));
  details.sort((a, b) => place(a) - place(b));
  return details.map(([key, detail]) => ({
    key,
    name: NAMES[key] ?? (key.startsWith('_geoPoint') ? 'Distance' : key),
    score: key === 'rerank' ? share(detail.score) : (detail.score ?? detail.similarity ?? null),
    text: wordsFor(key, detail),
    mark: json({ ...detail, order: undefined }),
  }));
}

/** Rerankers may give any number, and a bar needs one from 0 to 1. */
function share(score) {
  return Math.min(1, Math.max(0, score));
}

function wordsFor(key, detail) {
  if (key === 'words') return `${detail.matchingWords} of ${plural(detail.maxMatchingWords, 'word')}`;
  if (key === 'typo') return detail.typoCount === 0 ? 'no typo' : plural(detail.typoCount, 'typo');
  if (key === 'exactness') {
    const exact =
      detail.matchingWords === undefined ? '' : `, ${detail.matchingWords} of ${detail.maxMatchingWords}`;
    return `${EXACTNESS[detail.matchType] ?? detail.matchType}${exact}`;
  }
  if (key === 'vectorSort')
    return detail.similarity === null ? 'no vector' : `similarity ${detail.similarity.toFixed(3)}`;
  if (key === 'fusion') return `${sideOf('words', detail.words)}, ${sideOf('meaning', detail.vector)}`;
  if (key === 'pin') return `pinned to position ${detail.position + 1} by a search rule`;
  if (key === 'boost') return boosts(detail);
  if (key === 'bm25' && detail.boost) return `${detail.score.toFixed(3)} with ${boosts(detail.boost)}`;
  if (key === 'rerank') return `${detail.score.toFixed(3)}, previously #${detail.rankBefore}`;
  if (key === 'skipped') return 'ranking stopped here';
  if (detail.distance !== undefined)
    return detail.distance === null ? 'no location' : metres(detail.distance);
  if (detail.value !== undefined) return inline(detail.value);
  return detail.score === undefined ? '' : detail.score.toFixed(3);
}

/** The sum of the boosts of a hit, and what each of them added. */
function boosts({ value, factor, parts }) {
  const added = parts.filter((part) => part.value > 0);
  const each = added.map((part) => `${part.boost} ${part.value.toFixed(2)}`).join(', ');
  const times = factor === undefined ? '' : `, times ${factor.toFixed(2)}`;
  return `${value.toFixed(2)}${each ? ` (${each})` : ''}${times}`;
}

/** What one side of a fused search said. */
function sideOf(name, said) {
  const rank = said.rank === null ? 'not in the fused hits' : `#${said.rank}`;
  return said.normalizedScore === undefined
    ? `${name} ${rank}`
    : `${name} ${rank} (${said.normalizedScore.toFixed(3)})`;
}

/** The first rule in which two hits differ, with what it says of each. */
export function difference(upper, lower) {
  const [ours, theirs] = [rulesOf(upper), rulesOf(lower)];
  const isReranked = (rules) => rules[0]?.key === 'rerank';
  if (isReranked(ours) !== isReranked(theirs)) return { kind: 'reranked' };
  for (const rule of ours) {
    const other = theirs.find(({ key }) => key === rule.key);
    if (!other) return { kind: 'sides', rule };
    if (other.mark !== rule.mark) return { kind: 'rule', rule, other };
  }
  return { kind: 'tie' };
}

function verdict(hits, place, other) {
  const [upper, lower] = place < other ? [place, other] : [other, place];
  const found = difference(hits[upper], hits[lower]);
  const where = `${place < other ? 'Above' : 'Below'} #${other + 1}`;
  if (found.kind === 'tie')
    return [`${where}: all rules rank both documents equally, so the one added first comes first.`];
  if (found.kind === 'reranked') return [`${where}: the reranker scored only one of the two.`];
  if (found.kind === 'sides') {
    return [`${where}: one matched by words, the other by meaning; their weighted scores were compared.`];
  }
  const [ours, theirs] = place < other ? [found.rule, found.other] : [found.other, found.rule];
  return [
    `${where} because of `,
    h('strong', null, found.rule.name.toLowerCase()),
    `: ${ours.text} against ${theirs.text}.`,
  ];
}

/** The panel below a hit. `first` is the rank of the first hit of the page, from 1. */
export function explanation(hits, place, first) {
  if (rulesOf(hits[place]).length === 0) {
    return h(
      'div',
      { class: 'explain' },
      h(
        'p',
        { class: 'quiet' },
        'Not ranked: without a query, hits are in the order in which they were added.',
      ),
    );
  }
  // All verdicts are to be read at once; rules in full are for the hit that somebody asks about.
  const panel = h('details', { class: 'explain', open: place === 0 });
  draw(panel, hits, place, place + 1 < hits.length ? place + 1 : place - 1, first);
  return panel;
}

function draw(panel, hits, place, other, first) {
  const against = other >= 0 ? rulesOf(hits[other]) : [];
  const decisive =
    other >= 0 ? difference(hits[Math.min(place, other)], hits[Math.max(place, other)]) : { kind: 'tie' };
  const id = freshId('against');
  const choose = h(
    'select',
    {
      class: 'select select-small',
      id,
      onchange: (event) => {
        const chosen = Number(event.target.value);
        draw(panel, hits, place, chosen, first);
        panel.querySelector('select').focus();
      },
      value: String(other),
    },
    hits.map((_, at) => (at === place ? null : h('option', { value: at }, `#${first + at}`))),
  );
  panel.replaceChildren(
    h('summary', null, other >= 0 ? renumbered(verdict(hits, place, other), first) : 'The only hit.'),
    other >= 0
      ? h(
          'div',
          { class: 'explain-head' },
          legend(`#${first + place}`, `#${first + other}`),
          h('label', { class: 'explain-choose', for: id }, 'against ', choose),
        )
      : '',
    h(
      'ol',
      { class: 'rules' },
      rulesOf(hits[place]).map((rule) =>
        bars(
          rule,
          against.find(({ key }) => key === rule.key),
          decisive.rule?.key === rule.key,
        ),
      ),
    ),
  );
}

/** Whose the two bars of each rule are. */
function legend(name, other) {
  return h(
    'p',
    { class: 'explain-legend' },
    h('span', null, h('span', { class: 'rule-bar', 'aria-hidden': 'true' }), name),
    h('span', null, h('span', { class: 'rule-bar rule-bar-other', 'aria-hidden': 'true' }), other),
  );
}

/** Ranks count from the first page; `verdict` knows only places on this one. */
function renumbered(parts, first) {
  return parts.map((part) =>
    typeof part === 'string' ? part.replace(/#(\d+)/, (_, at) => `#${Number(at) + first - 1}`) : part,
  );
}

function bars(rule, other, isDecisive) {
  const width = (score) => `${Math.round(score * 100)}%`;
  return h(
    'li',
    { class: isDecisive ? 'rule is-decisive' : 'rule' },
    h('span', { class: 'rule-name' }, rule.name),
    h(
      'span',
      { class: 'rule-bars', 'aria-hidden': 'true' },
      rule.score === null ? null : h('span', { class: 'rule-bar', style: { width: width(rule.score) } }),
      other && other.score !== null
        ? h('span', { class: 'rule-bar rule-bar-other', style: { width: width(other.score) } })
        : null,
    ),
    h(
      'span',
      { class: 'rule-text' },
      rule.text,
      other && other.text !== rule.text ? h('span', { class: 'rule-other' }, ` / ${other.text}`) : null,
    ),
  );
}
