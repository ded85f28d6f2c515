// Tasks and batches as they happen. The first page comes from the lists, everything after from
// the streams; a gap in a stream makes the list come again.

import { get, post } from '../core/api.js';
import { calmed, fill, h } from '../core/dom.js';
import { count } from '../core/format.js';
import { indexNames } from '../core/instance.js';
import { isLive, listen } from '../core/live.js';
import { confirmDialog } from '../core/dialog.js';
import { empty, problem, segments, skeleton, viewHead } from '../core/parts.js';
import { note } from '../core/router.js';
import { complain, tell } from '../core/toast.js';
import { batchRow } from './batch_rows.js';
import { taskRow } from './task_rows.js';
import { title } from './words.js';

const PAGE = 50;
const STATUSES = ['enqueued', 'processing', 'succeeded', 'failed', 'canceled'];
const TYPES = [
  'documentAdditionOrUpdate',
  'documentEdition',
  'documentDeletion',
  'settingsUpdate',
  'indexCreation',
  'indexDeletion',
  'indexUpdate',
  'indexSwap',
  'indexCompaction',
  'taskCancelation',
  'taskDeletion',
  'dumpCreation',
  'snapshotCreation',
  'export',
];
const AGAIN_MS = 20_000;
const COUNT_MS = 300;
const DRAW_MS = 60;

export function tasksView(root, { params }) {
  const view = new TasksView(root, params);
  view.begin();
  return () => view.end();
}

class TasksView {
  constructor(root, params) {
    this.root = root;
    this.kind = params.get('batches') === '1' ? 'batches' : 'tasks';
    this.filter = {
      statuses: params.get('statuses') ?? '',
      types: params.get('types') ?? '',
      indexUids: params.get('indexUids') ?? '',
    };
    this.open = new Set(params.has('uid') ? [Number(params.get('uid'))] : []);
    this.only = params.get('uid');
    this.items = new Map();
    this.progress = new Map();
    /** Events that arrived during each load, whose answer may be older than they are. */
    this.loads = new Set();
    this.next = null;
    this.stops = [];
    this.drawSoon = calmed(DRAW_MS, () => this.draw());
  }

  begin() {
    this.list = h('div', null, skeleton(8));
    this.tally = h('p', { class: 'quiet', role: 'status' });
    this.state = h('span', { class: 'live' });
    this.cancel = h(
      'button',
      { type: 'button', class: 'button', disabled: true, onclick: () => this.cancelAll() },
      'Cancel unfinished tasks',
    );
    const countSoon = calmed(COUNT_MS, () => this.countUnfinished());
    fill(
      this.root,
      h(
        'div',
        { class: 'view' },
        viewHead('Tasks', this.state, this.cancel),
        h(
          'div',
          { class: 'task-filters' },
          segments(
            'Tasks or batches',
            [
              ['tasks', 'Tasks'],
              ['batches', 'Batches'],
            ],
            this.kind,
            (kind) => this.turn({ kind }),
          ),
          this.select('Status', 'statuses', STATUSES, (status) => status),
          this.select('Type', 'types', TYPES, title),
          this.select('Index', 'indexUids', indexNames(), (name) => name),
          this.only
            ? h(
                'button',
                {
                  type: 'button',
                  class: 'chip',
                  onclick: () => {
                    this.only = null;
                    this.turn({});
                  },
                },
                h('span', { class: 'chip-name' }, 'task'),
                this.only,
                ' ×',
              )
            : null,
        ),
        this.tally,
        this.list,
      ),
    );
    this.stops = [
      listen('task', (task) => {
        this.receive('tasks', task);
        countSoon();
      }),
      listen('batch', (batch) => {
        this.noteProgress(batch);
        this.receive('batches', batch);
      }),
      listen('gap', () => this.load()),
      listen('state', () => this.drawState()),
    ];
    // Ages in words grow old even when nothing happens.
    const timer = setInterval(this.drawSoon, AGAIN_MS);
    this.stops.push(() => clearInterval(timer));
    this.drawState();
    this.load();
    this.countUnfinished();
  }

  end() {
    this.stops.forEach((stop) => stop());
  }

  select(label, name, values, text) {
    return h(
      'select',
      {
        class: 'select select-small',
        'aria-label': label,
        value: this.filter[name],
        onchange: (event) => this.turn({ filter: { ...this.filter, [name]: event.target.value } }),
      },
      h('option', { value: '' }, `${label}: all`),
      values.map((value) => h('option', { value }, text(value))),
    );
  }

  turn(change) {
    Object.assign(this, change);
    this.open.clear();
    this.items.clear();
    const params = Object.fromEntries(Object.entries(this.filter).filter(([, value]) => value !== ''));
    if (this.kind === 'batches') params.batches = '1';
    note(['tasks'], params);
    fill(this.list, skeleton(8));
    this.load();
  }

  /** Loads the first page, or the page at `from`. A first page supersedes every load under way. */
  async load(from) {
    const events = [];
    if (from === undefined) this.loads.clear();
    this.loads.add(events);
    try {
      const path = this.kind === 'tasks' ? '/tasks' : '/batches';
      const page = await get(path, { ...this.filter, uids: this.only ?? '', limit: PAGE, from: from ?? '' });
      if (!this.loads.delete(events)) return;
      if (from === undefined) this.items.clear();
      page.results.forEach((item) => this.items.set(item.uid, item));
      this.next = page.next;
      this.total = page.total;
      events.forEach((item) => this.apply(item));
      this.draw();
    } catch (error) {
      if (this.loads.delete(events)) fill(this.list, problem(error));
    }
  }

  receive(kind, item) {
    if (kind !== this.kind) return;
    this.loads.forEach((events) => events.push(item));
    this.apply(item);
    this.drawSoon();
  }

  /** Adds an item from a stream to the list, or removes it, by the filters. */
  apply(item) {
    if (!this.fits(item)) return;
    if (!this.items.has(item.uid)) this.total = (this.total ?? 0) + 1;
    this.items.set(item.uid, item);
  }

  fits(item) {
    if (this.only && String(item.uid) !== this.only) return false;
    const { statuses, types, indexUids } = this.filter;
    if (this.kind === 'batches') {
      return (
        (!types || types in (item.stats?.types ?? {})) &&
        (!indexUids || indexUids in (item.stats?.indexUids ?? {})) &&
        (!statuses || statuses in (item.stats?.status ?? {}))
      );
    }
    if (statuses && item.status !== statuses) {
      this.items.delete(item.uid);
      return false;
    }
    return (!types || item.type === types) && (!indexUids || item.indexUid === indexUids);
  }

  noteProgress(batch) {
    if (batch.finishedAt) this.progress.delete(batch.uid);
    else if (batch.progress) this.progress.set(batch.uid, batch.progress);
    if (this.kind === 'tasks') this.drawSoon();
  }

  draw() {
    if (!this.list.isConnected) return;
    const items = [...this.items.values()].sort((a, b) => b.uid - a.uid);
    fill(this.tally, `${count(this.total ?? items.length)} in total`);
    if (items.length === 0) {
      fill(
        this.list,
        empty('pulse', 'No tasks', 'Every write creates a task. Matching tasks appear here automatically.'),
      );
      return;
    }
    const focused = document.activeElement?.closest?.('.task')?.dataset.uid;
    const rows = items.map((item) => {
      const options = {
        isOpen: this.open.has(item.uid),
        progress: this.progress.get(item.batchUid),
        onToggle: () => {
          if (!this.open.delete(item.uid)) this.open.add(item.uid);
          this.draw();
        },
      };
      return this.kind === 'tasks' ? taskRow(item, options) : batchRow(item, options);
    });
    fill(
      this.list,
      h('ol', { class: 'tasks' }, rows),
      this.next === null || this.next === undefined
        ? null
        : h(
            'div',
            { class: 'row row-center' },
            h(
              'button',
              { type: 'button', class: 'button', onclick: () => this.load(this.next) },
              'Show older',
            ),
          ),
    );
    if (focused !== undefined)
      this.list.querySelector(`.task[data-uid="${CSS.escape(focused)}"] .task-head`)?.focus();
  }

  drawState() {
    this.state.dataset.live = String(isLive());
    fill(this.state, h('span', { class: 'dot' }), isLive() ? 'Live' : 'Not live');
  }

  async countUnfinished() {
    const query = { statuses: 'enqueued,processing', limit: 1 };
    const page = await get('/tasks', query, { quiet: true }).catch(() => null);
    this.cancel.disabled = !page || page.total === 0;
  }

  async cancelAll() {
    const sure = await confirmDialog({
      title: 'Cancel unfinished tasks',
      text: 'All enqueued and processing tasks will be canceled. Finished tasks do not change.',
      action: 'Cancel tasks',
    });
    if (!sure) return;
    try {
      const task = await post('/tasks/cancel?statuses=enqueued,processing');
      tell(`Task ${task.taskUid} will cancel them.`);
    } catch (error) {
      complain(error);
    }
  }
}
