// The bar with the ways to every view, the indexes, and the state of the instance.

import { hasKey } from './api.js';
import { h, fill } from './dom.js';
import { compact, plural } from './format.js';
import { icon } from './icons.js';
import { instance, onInstance, statsOf } from './instance.js';
import { isLive, listen } from './live.js';
import { href, place } from './router.js';
import { nextTheme, setTheme, theme } from './theme.js';

const VIEWS = [
  ['search', 'Search', 'search'],
  ['indexes', 'Indexes', 'layers'],
  ['import', 'Import', 'upload'],
  ['tasks', 'Tasks', 'pulse'],
  ['keys', 'Keys', 'key'],
  ['webhooks', 'Webhooks', 'hook'],
];
const THEME_ICONS = { system: 'screen', light: 'sun', dark: 'moon' };
const MOST_SHOWN = 14;

export function sidebar(root, { onKey, onHelp }) {
  const links = VIEWS.map(([view, text, sign]) =>
    h('a', { class: 'nav-link', href: href([view]), data: { view } }, icon(sign), h('span', null, text)),
  );
  const indexes = h('div', { class: 'side-indexes' });
  const activity = h('a', { class: 'activity', href: href(['tasks']) });
  const key = h('button', { class: 'icon-button', type: 'button', onclick: onKey });
  const look = h('button', {
    class: 'icon-button',
    type: 'button',
    onclick: () => {
      setTheme(nextTheme());
      drawTheme();
    },
  });
  const help = h(
    'button',
    { class: 'icon-button', type: 'button', 'aria-label': 'Keyboard shortcuts', onclick: onHelp },
    icon('help'),
  );
  const version = h('span', { class: 'version' });
  // In a tab of its own: with this page its key would be gone.
  const docs = h(
    'a',
    { class: 'side-docs', href: 'docs', target: '_blank', rel: 'noreferrer', 'aria-label': 'Documentation' },
    icon('book'),
    h('span', null, 'Documentation'),
  );

  fill(
    root,
    h(
      'a',
      { class: 'brand', href: '#/', 'aria-label': 'Sonde, start page' },
      h('img', { src: 'dashboard/core/icon.svg', alt: '', width: 22, height: 22 }),
      h('span', null, 'Sonde'),
    ),
    h('nav', { class: 'nav', 'aria-label': 'Views' }, links),
    indexes,
    h(
      'div',
      { class: 'side-foot' },
      docs,
      activity,
      h('div', { class: 'side-tools' }, version, help, look, key),
    ),
  );

  function drawTheme() {
    fill(look, icon(THEME_ICONS[theme()]));
    look.setAttribute('aria-label', `Theme: ${theme()}. Switch to ${nextTheme()}`);
  }

  function drawPlace() {
    const { view, parts } = place();
    for (const link of links) {
      if (link.dataset.view === view) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    }
    for (const link of indexes.querySelectorAll('a')) {
      link.classList.toggle('is-open', ['search', 'indexes'].includes(view) && link.dataset.uid === parts[0]);
    }
  }

  function drawInstance() {
    const list = instance().indexes.slice(0, MOST_SHOWN);
    fill(
      indexes,
      list.length === 0
        ? null
        : [
            h('h2', { class: 'side-title' }, 'Indexes'),
            h(
              'ul',
              null,
              list.map(({ uid }) =>
                h(
                  'li',
                  null,
                  h(
                    'a',
                    { class: 'side-index', href: href(['search', uid]), data: { uid } },
                    h('span', { class: 'side-name' }, uid),
                    h(
                      'span',
                      {
                        class: 'side-count',
                        title: plural(statsOf(uid)?.numberOfDocuments ?? 0, 'document'),
                      },
                      compact(statsOf(uid)?.numberOfDocuments),
                    ),
                  ),
                ),
              ),
            ),
          ],
    );
    fill(version, instance().version ? `v${instance().version.pkgVersion}` : '');
    fill(key, icon(hasKey() ? 'lock' : 'key'));
    key.setAttribute('aria-label', hasKey() ? 'API key in use. Change it' : 'Enter an API key');
    key.classList.toggle('is-on', hasKey());
    drawPlace();
  }

  const running = new Map();
  function drawActivity() {
    const state = !isLive() ? 'off' : running.size > 0 ? 'busy' : 'idle';
    activity.dataset.state = state;
    fill(
      activity,
      h('span', { class: 'dot' }),
      h(
        'span',
        null,
        state === 'off'
          ? 'Not live'
          : state === 'idle'
            ? 'Idle'
            : `${plural(running.size, 'batch', 'batches')} running`,
      ),
    );
  }
  listen('batch', (batch) => {
    if (batch.finishedAt) running.delete(batch.uid);
    else running.set(batch.uid, batch);
    drawActivity();
  });
  listen('gap', () => running.clear());
  listen('state', drawActivity);
  onInstance(drawInstance);
  drawTheme();
  drawInstance();
  drawActivity();
  return { drawPlace };
}
