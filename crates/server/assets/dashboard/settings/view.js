// The settings of an index: changed in place, checked where that is possible, saved together.
// What the server refuses is shown at the setting it is about, also when only the task finds it.

import { get, patch, post } from '../core/api.js';
import { confirmDialog } from '../core/dialog.js';
import { fill, freshId, h } from '../core/dom.js';
import { plural } from '../core/format.js';
import { icon } from '../core/icons.js';
import { problem, skeleton } from '../core/parts.js';
import { guardPlace } from '../core/router.js';
import { savedSearches } from '../core/saved.js';
import { tell } from '../core/toast.js';
import { finished } from '../core/waiting.js';
import { toSend, undoOf } from './changes.js';
import { CONTROLS } from './controls.js';
import { effects, record } from './effect.js';
import { effectCard } from './effect_view.js';
import { OWN_DEFAULTS, SECTIONS, settingOf } from './schema.js';

export function settingsView(root, uid) {
  fill(root, skeleton(6));
  const editor = new Editor(root, uid);
  editor.load();
  const warn = (event) => editor.isUnsaved() && event.preventDefault();
  addEventListener('beforeunload', warn);
  const unguard = guardPlace(() => !editor.isUnsaved() || askToLeave(editor.changes.size));
  return () => {
    removeEventListener('beforeunload', warn);
    unguard();
  };
}

function askToLeave(changes) {
  return confirmDialog({
    title: 'Leave without saving?',
    text: `${plural(changes, 'changed setting')} would be lost.`,
    action: 'Leave',
    keep: 'Stay',
  });
}

class Editor {
  constructor(root, uid) {
    this.root = root;
    this.uid = uid;
    /** New values by name; null resets. */
    this.changes = new Map();
    this.problems = new Map();
    this.blocks = new Map();
    this.isSaving = false;
  }

  isUnsaved() {
    return this.changes.size > 0 && !this.isSaving;
  }

  async load() {
    try {
      const [settings, fields] = await Promise.all([
        get(`/indexes/${this.uid}/settings`),
        post(`/indexes/${this.uid}/fields`, { limit: 500 }, { quiet: true }).catch(() => ({ results: [] })),
      ]);
      this.settings = { ...OWN_DEFAULTS, ...settings };
      this.fields = fields.results.map((field) => field.name);
      this.changes.clear();
      this.problems.clear();
      this.draw();
    } catch (error) {
      fill(this.root, problem(error));
    }
  }

  draw() {
    this.bar = h('div', { class: 'save-bar', role: 'region', 'aria-label': 'Changes' });
    this.general = h('div');
    fill(
      this.root,
      h(
        'div',
        { class: 'settings' },
        this.general,
        SECTIONS.map(([title, settings]) => {
          const present = settings.filter(([name]) => name in this.settings);
          if (present.length === 0) return null;
          return h(
            'section',
            { class: 'settings-section', 'aria-label': title },
            h('h2', { class: 'settings-title' }, title),
            h(
              'div',
              { class: 'settings-list' },
              present.map((setting) => this.block(...setting)),
            ),
          );
        }),
        this.bar,
      ),
    );
    this.drawBar();
  }

  block(name, kind, help, options = {}) {
    const heading = freshId('setting');
    const message = h('div', { class: 'setting-message', 'aria-live': 'polite' });
    const place = h('div', { class: 'setting-control' });
    const element = h(
      'div',
      {
        class: 'setting',
        id: `setting-${name}`,
        data: { setting: name },
        role: 'group',
        'aria-labelledby': heading,
      },
      h(
        'div',
        { class: 'setting-about' },
        h('h3', { class: 'setting-name', id: heading }, name),
        h('p', { class: 'help' }, help),
        h(
          'button',
          {
            type: 'button',
            class: 'link-button',
            'aria-label': `Reset to default: ${name}`,
            onclick: () => this.reset(name),
          },
          'Reset to default',
        ),
      ),
      h('div', { class: 'setting-edit' }, place, message),
    );
    const show = () =>
      fill(
        place,
        CONTROLS[kind](this.settings[name], (value, wrong) => this.change(name, value, wrong, options), {
          ...options,
          label: name,
          suggestions: options.fields ? this.fields : options.suggestions,
        }),
      );
    this.blocks.set(name, { element, message, show, place });
    show();
    return element;
  }

  change(name, value, wrong, options) {
    const complaint = wrong ?? options.check?.(value) ?? null;
    if (complaint) this.problems.set(name, complaint);
    else this.problems.delete(name);
    if (JSON.stringify(value) === JSON.stringify(this.settings[name])) this.changes.delete(name);
    else this.changes.set(name, value);
    this.drawState(name);
    this.drawBar();
  }

  reset(name) {
    this.changes.set(name, null);
    this.problems.delete(name);
    this.drawState(name);
    this.drawBar();
  }

  drawState(name) {
    const { element, message } = this.blocks.get(name);
    const complaint = this.problems.get(name);
    element.classList.toggle('is-changed', this.changes.has(name));
    element.classList.toggle('is-wrong', Boolean(complaint));
    fill(
      message,
      complaint ? h('p', { class: 'wrong' }, icon('warn'), complaint) : null,
      !complaint && this.changes.get(name) === null
        ? h('p', { class: 'quiet' }, 'Resets to its default when saved.')
        : null,
    );
  }

  drawBar() {
    this.bar.hidden = this.changes.size === 0;
    const saved = savedSearches(this.uid).length;
    fill(
      this.bar,
      h(
        'span',
        null,
        `${plural(this.changes.size, 'setting')} changed`,
        this.problems.size > 0
          ? [
              ' · ',
              h(
                'button',
                { type: 'button', class: 'link-button wrong-note', onclick: () => this.toProblem() },
                plural(this.problems.size, 'problem'),
              ),
            ]
          : null,
        saved > 0 ? ` · saving shows the effect on ${plural(saved, 'saved search', 'saved searches')}` : null,
      ),
      h(
        'div',
        { class: 'row' },
        h('button', { type: 'button', class: 'button', onclick: () => this.discard() }, 'Discard'),
        h(
          'button',
          {
            type: 'button',
            class: 'button button-main',
            disabled: this.problems.size > 0,
            onclick: () => this.save(),
          },
          'Save changes',
        ),
      ),
    );
  }

  toProblem() {
    const { element } = this.blocks.get([...this.problems.keys()][0]);
    element.scrollIntoView({ block: 'center' });
    element.querySelector('.setting-control :is(input, textarea, select, button)')?.focus();
  }

  discard() {
    const names = [...new Set([...this.changes.keys(), ...this.problems.keys()])];
    this.changes.clear();
    this.problems.clear();
    names.forEach((name) => {
      this.blocks.get(name).show();
      this.drawState(name);
    });
    fill(this.general);
    this.drawBar();
  }

  async save() {
    const sent = Object.fromEntries(
      [...this.changes].map(([name, value]) => [name, toSend(name, this.settings[name], value)]),
    );
    const before = { settings: this.settings, hits: null };
    await this.apply(sent, async () => {
      before.hits = await record(this.uid);
    });
    if (this.changes.size === 0 && before.hits?.length > 0) await this.showEffect(before, Object.keys(sent));
  }

  /** Has the server change settings. `first` is done before, and must not stop the change. */
  async apply(sent, first = async () => {}) {
    this.isSaving = true;
    fill(
      this.bar,
      h('span', { role: 'status' }, h('span', { class: 'spinner', 'aria-hidden': 'true' }), 'Applying…'),
    );
    try {
      await first().catch(() => {});
      const { taskUid } = await patch(`/indexes/${this.uid}/settings`, sent);
      const task = await finished(taskUid);
      if (task.status !== 'succeeded') {
        this.refuse(task.error ?? { message: `Task ${taskUid} was canceled.` }, Object.keys(sent));
        return;
      }
      tell('Settings saved.', { href: `#/tasks?uid=${taskUid}`, text: `Task ${taskUid}` });
      await this.load();
    } catch (error) {
      this.refuse(error, Object.keys(sent));
    } finally {
      this.isSaving = false;
    }
  }

  /** Saved searches as they were and as they are now, with a way back. */
  async showEffect(before, names) {
    const after = await record(this.uid).catch(() => []);
    if (!this.general.isConnected || after.length === 0) return;
    const undo = undoOf(before.settings, this.settings, names);
    const card = effectCard(this.uid, effects(before.hits, after), {
      onUndo: undo && (() => this.undo(undo)),
      onClose: () => fill(this.general),
    });
    fill(this.general, card.root);
    card.root.scrollIntoView({ block: 'start' });
    card.title.focus({ preventScroll: true });
  }

  /** Changes that were begun meanwhile would be lost. */
  async undo(sent) {
    const sure = {
      title: 'Undo without saving?',
      text: `${plural(this.changes.size, 'changed setting')} would be lost.`,
      action: 'Undo the change',
      keep: 'Keep editing',
    };
    if (this.changes.size > 0 && !(await confirmDialog(sure))) return;
    this.bar.hidden = false;
    await this.apply(sent);
  }

  /** Puts a refusal where it belongs, and brings that place into view. */
  refuse(error, names) {
    const name = settingOf(error, names);
    if (name === undefined) {
      fill(this.general, problem(error));
      this.general.scrollIntoView({ block: 'center' });
    } else {
      this.problems.set(name, error.message);
      this.drawState(name);
      // It may be tried again as it is: the problem may have been elsewhere.
      this.problems.delete(name);
      this.blocks.get(name).element.scrollIntoView({ block: 'center' });
    }
    this.drawBar();
  }
}
