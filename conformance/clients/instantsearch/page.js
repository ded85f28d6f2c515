// A page of InstantSearch without a browser: its connectors are the widgets, and what they would draw is kept.

import { once } from 'node:events';
import instantsearch from 'instantsearch.js/cjs/index.js';

export class Page {
  /** What each part was last asked to draw. */
  shown = {};

  /** `parts`: by a name of one's own, a connector and the parameters of its widget. */
  constructor(searchClient, parts) {
    this.search = instantsearch.default({
      indexName: 'books',
      searchClient,
      future: { preserveSharedStateOnUnmount: true },
    });
    this.search.addWidgets(
      Object.entries(parts).map(([name, [connect, parameters]]) =>
        connect((options) => (this.shown[name] = options))(parameters ?? {}),
      ),
    );
  }

  /** Starts it, or does what a visitor would do, and waits until the answer is drawn. */
  async after(act = () => this.search.start()) {
    const failed = once(this.search, 'error').then(([error]) => Promise.reject(error));
    act(this.shown);
    do {
      await Promise.race([once(this.search, 'render'), failed]);
    } while (this.search.status !== 'idle');
    return this.shown;
  }

  /** Waits until what is shown satisfies a condition. */
  async until(condition) {
    while (!condition(this.shown)) await new Promise((resolve) => setTimeout(resolve, 10));
  }

  stop() {
    this.search.dispose();
  }
}
