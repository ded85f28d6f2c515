// Search as you type: the box, the controls, facets, hits, map. Every change asks again and
// drops the answer that is still on its way.

import { calmed, fill, h } from '../core/dom.js';
import { count, plural } from '../core/format.js';
import { icon } from '../core/icons.js';
import { indexNames, instance } from '../core/instance.js';
import { listen } from '../core/live.js';
import { empty, problem, skeleton } from '../core/parts.js';
import { go, href, note } from '../core/router.js';
import { aboutIndex } from './about.js';
import { chips } from './chips.js';
import { openDocument } from './document.js';
import { facetPanel } from './facets.js';
import { hitList } from './hits.js';
import { keyInBox, keyInView } from './keys.js';
import { mapOf, pinsOf } from './places.js';
import { pageCount, pages } from './pages.js';
import { places, search } from './request.js';
import { saveButton, savedList } from './saved.js';
import { PER_PAGE, clearFilters, fromAddress, hasFilters, toAddress } from './state.js';
import { timingLine, timingPanel } from './timing.js';
import { toolbar } from './toolbar.js';

/** The search that was looked at last, for whoever comes back without saying which. */
let last = null;

export function searchView(root, { parts, params }) {
  const names = indexNames();
  const [first] = names;
  const saysWhich = parts.length > 0 || params.size > 0;
  const isKept = !saysWhich && last && (names.includes(last.index) || !instance().mayList);
  const index = isKept ? last.index : (parts[0] ?? first);
  if (index === undefined && instance().mayList) {
    fill(
      root,
      empty(
        'layers',
        'No index yet',
        'Import documents to start searching.',
        h('a', { class: 'button button-main', href: href(['import']) }, icon('upload'), 'Import documents'),
      ),
    );
    return null;
  }
  const view = new SearchView(root, fromAddress(index ?? '', isKept ? last.params : params));
  view.begin();
  return () => view.end();
}

class SearchView {
  constructor(root, state) {
    this.root = root;
    this.state = state;
    this.about = null;
    this.answer = null;
    this.map = null;
    this.running = new AbortController();
    this.memory = { open: new Set(), typed: new Map() };
    this.parts = {
      tools: h('div', { class: 'tools' }),
      summary: h('p', { class: 'summary', role: 'status' }),
      meant: h('div', { role: 'status' }),
      chips: h('div'),
      saved: h('div', { class: 'saved-place' }),
      save: h('div'),
      facets: h('div', { class: 'facets-content' }),
      notice: h('div'),
      timing: h('div'),
      map: h('div'),
      hits: h('div', { class: 'hits-place', tabindex: -1 }, skeleton(6)),
      pages: h('div'),
    };
  }

  begin() {
    const {
      tools,
      summary,
      meant,
      chips: chipsPlace,
      saved,
      save,
      facets,
      notice,
      timing,
      map,
      hits,
      pages: pagesPlace,
    } = this.parts;
    this.box = h('input', {
      id: 'q',
      class: 'search-input',
      type: 'search',
      value: this.state.q,
      autocomplete: 'off',
      spellcheck: 'false',
      placeholder: 'Search',
      'aria-label': 'Search',
      enterkeyhint: 'search',
      oninput: () => {
        this.state.q = this.box.value;
        this.changed({ first: true });
      },
      onkeydown: (event) => keyInBox(this, event),
    });
    this.facetsFold = h(
      'details',
      { class: 'facets-fold', open: matchMedia('(min-width: 901px)').matches },
      h('summary', null, 'Filters'),
      facets,
    );
    fill(
      this.root,
      h(
        'div',
        { class: 'search-view' },
        h('h1', { class: 'unseen' }, 'Search'),
        h(
          'form',
          { class: 'search-head', role: 'search', onsubmit: (event) => event.preventDefault() },
          this.picker(),
          h(
            'div',
            { class: 'search-box' },
            icon('search'),
            this.box,
            h('kbd', { 'aria-hidden': 'true' }, '/'),
          ),
        ),
        meant,
        h('div', { class: 'search-bar' }, summary, h('div', { class: 'search-tools' }, tools, save)),
        chipsPlace,
        saved,
        h(
          'div',
          { class: 'search-body' },
          h('aside', { class: 'facets', 'aria-label': 'Filters' }, this.facetsFold),
          h('div', { class: 'results' }, notice, timing, map, hits, pagesPlace),
        ),
      ),
    );
    this.onKey = (event) => keyInView(this, event);
    addEventListener('keydown', this.onKey);
    const reloadSoon = calmed(500, () => this.box.isConnected && this.reload());
    this.stopListening = listen('task', (task) => {
      if (task.indexUid !== this.state.index || task.status !== 'succeeded') return;
      if (task.type === 'indexDeletion') {
        last = null;
        go(['search']);
      } else reloadSoon();
    });
    this.reload();
    if (matchMedia('(min-width: 901px)').matches) this.box.focus();
  }

  end() {
    this.running.abort();
    removeEventListener('keydown', this.onKey);
    this.stopListening();
    this.map?.end();
  }

  picker() {
    const names = indexNames();
    if (!instance().mayList) {
      return h('input', {
        class: 'input search-index',
        'aria-label': 'Index',
        placeholder: 'Name of an index',
        value: this.state.index,
        onchange: (event) => go(['search', event.target.value]),
      });
    }
    if (!names.includes(this.state.index)) names.unshift(this.state.index);
    return h(
      'select',
      {
        class: 'select search-index',
        'aria-label': 'Index',
        value: this.state.index,
        onchange: (event) =>
          go(['search', event.target.value], this.box.value ? { q: this.box.value } : undefined),
      },
      names.map((name) => h('option', { value: name }, name)),
    );
  }

  /** Settings decide what can be offered, so they come before the first search. */
  async reload() {
    if (this.state.index === '') {
      fill(
        this.parts.hits,
        empty('search', 'Which index?', 'This key may not list indexes. Enter the name of an index.'),
      );
      return;
    }
    try {
      this.about = await aboutIndex(this.state.index, this.running.signal);
    } catch (error) {
      this.failed(error);
      return;
    }
    this.changed({ tools: true });
  }

  changed({ tools = false, first = false } = {}) {
    if (first) this.state.page = 1;
    if (tools)
      fill(
        this.parts.tools,
        toolbar(this.state, this.about, (what) => this.changed(what)),
      );
    last = { index: this.state.index, params: toAddress(this.state) };
    note(['search', this.state.index], last.params);
    this.drawSaved();
    this.run();
  }

  async run() {
    this.running.abort();
    this.running = new AbortController();
    const { signal } = this.running;
    if (!this.about) return;
    try {
      this.answer = await search(this.state, this.about, signal);
      this.draw();
      if (this.state.map) this.map?.show({ crowd: await places(this.state, this.about, signal) });
    } catch (error) {
      this.failed(error);
    }
  }

  /** The button follows what is searched for; the list stays as it was opened. */
  drawSaved() {
    const { save, saved } = this.parts;
    const isOpen = saved.querySelector('details')?.open ?? false;
    const hadFocus = save.contains(document.activeElement) || saved.contains(document.activeElement);
    fill(
      save,
      saveButton(this.state, () => this.drawSaved()),
    );
    fill(
      saved,
      savedList(this.state.index, isOpen, () => this.drawSaved()),
    );
    if (hadFocus) save.querySelector('button').focus();
  }

  failed(error) {
    if (error.name === 'AbortError') return;
    fill(this.parts.notice, problem(error));
    if (!this.answer) fill(this.parts.hits);
    this.parts.hits.classList.add('is-stale');
  }

  draw() {
    const { state, about, answer, parts } = this;
    const filtersChanged = () => this.changed({ first: true });
    const firstRank = (state.page - 1) * PER_PAGE + 1;
    fill(parts.notice, this.hint());
    fill(
      parts.summary,
      h('strong', null, plural(answer.totalHits, 'hit')),
      ' · ',
      timingLine(answer),
      answer.semanticHitCount ? ` · ${count(answer.semanticHitCount)} by meaning` : null,
      answer.rerank ? ` · ${count(answer.rerank.reranked)} reranked` : null,
      answer.rerank?.reason ? ` (${answer.rerank.reason})` : null,
    );
    fill(parts.meant, this.meant());
    fill(parts.chips, chips(state, filtersChanged));
    keepFocus(parts.facets, () =>
      fill(
        parts.facets,
        about.facets
          ? facetPanel(answer, state, about, this.memory, filtersChanged)
          : h(
              'p',
              { class: 'quiet facets-none' },
              'To filter by attributes, add them to ',
              h('a', { href: href(['indexes', state.index, 'settings']) }, 'filterableAttributes'),
              '.',
            ),
      ),
    );
    fill(
      parts.timing,
      state.timing ? h('section', { class: 'card', 'aria-label': 'Timing' }, timingPanel(answer)) : null,
    );
    parts.hits.classList.remove('is-stale');
    const focused = document.activeElement.closest('.hit')?.dataset.place;
    fill(
      parts.hits,
      answer.hits.length === 0
        ? this.nothing()
        : hitList(answer, state, about, {
            first: firstRank,
            onOpen: (hit, title) => openDocument(state.index, hit, title, about),
            onPoint: (place) => this.map?.point(place),
          }),
    );
    if (focused !== undefined) parts.hits.querySelector(`.hit[data-place="${focused}"] .hit-open`)?.focus();
    const wasInPages = parts.pages.contains(document.activeElement);
    fill(
      parts.pages,
      pages(state.page, pageCount(answer, about), (page) => this.toPage(page)),
    );
    // Whoever turned the page goes on at its top.
    if (wasInPages) parts.hits.focus({ preventScroll: true });
    this.drawMap(firstRank);
  }

  /** Another spelling that finds more, where there is one. */
  meant() {
    const text = this.answer.didYouMean;
    if (!text) return null;
    return h(
      'p',
      { class: 'meant' },
      'Did you mean ',
      h(
        'a',
        {
          href: href(['search', this.state.index], toAddress({ ...this.state, q: text, page: 1 })),
          onclick: (event) => {
            event.preventDefault();
            this.box.value = text;
            this.state.q = text;
            this.box.focus();
            this.changed({ first: true });
          },
        },
        text,
      ),
      '?',
    );
  }

  hint() {
    if (this.state.sort !== 'distance' || this.state.origin) return null;
    return h(
      'p',
      { class: 'hint' },
      'Enter a latitude and longitude in “From”, or open the map and choose “Sort by distance from the centre”.',
    );
  }

  nothing() {
    const actions = hasFilters(this.state)
      ? [
          h(
            'button',
            {
              type: 'button',
              class: 'button',
              onclick: () => {
                clearFilters(this.state);
                this.changed({ first: true });
              },
            },
            'Clear filters',
          ),
        ]
      : [];
    const which = hasFilters(this.state) ? ' and these filters' : '';
    const text = this.state.q
      ? `No document matches these words${which}.`
      : which
        ? 'No document matches these filters.'
        : 'The index has no documents yet.';
    return empty('search', 'No results', text, actions);
  }

  drawMap(first) {
    const { state, about, answer, parts } = this;
    if (!state.map || !about.isGeo) {
      this.map?.end();
      this.map = null;
      fill(parts.map);
      return;
    }
    this.map ??= mapOf(state, about, (what) => this.changed(what));
    if (!this.map.root.isConnected) fill(parts.map, this.map.root);
    this.map.show({ pins: pinsOf(answer.hits, about), origin: state.origin, first });
  }

  toPage(page) {
    this.state.page = page;
    this.changed();
    document.getElementById('main').scrollTo({ top: 0 });
    scrollTo({ top: 0 });
  }
}

/** A list that is drawn anew under the hand that uses it keeps the focus where it was. */
function keepFocus(place, draw) {
  const { key } = document.activeElement.dataset;
  draw();
  if (key !== undefined) place.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus();
}
