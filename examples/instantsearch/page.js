// The widgets of InstantSearch, fed by Sonde. Where and with which key is in the address of the page:
// ?url=http://localhost:7700&key=…, where the key should be one that may do nothing but search.

import { instantMeiliSearch } from '@meilisearch/instant-meilisearch';

const { instantsearch } = window;
const { searchBox, stats, refinementList, sortBy, hits, pagination } = instantsearch.widgets;
const asked = new URLSearchParams(location.search);

const { searchClient } = instantMeiliSearch(
  asked.get('url') ?? 'http://localhost:7700',
  asked.get('key') ?? '',
  { primaryKey: 'id', finitePagination: true },
);

const search = instantsearch({ indexName: 'books', searchClient });

search.addWidgets([
  instantsearch.widgets.configure({ hitsPerPage: 6 }),
  searchBox({ container: '#search', placeholder: 'Titles, authors, words…', autofocus: true }),
  stats({ container: '#stats' }),
  refinementList({ container: '#genres', attribute: 'genres', operator: 'or' }),
  sortBy({
    container: '#order',
    items: [
      { label: 'Best first', value: 'books' },
      { label: 'Newest first', value: 'books:year:desc' },
      { label: 'Cheapest first', value: 'books:price:asc' },
    ],
  }),
  hits({
    container: '#hits',
    templates: {
      item: (hit, { html, components }) => html`
        <article>
          <h3>${components.Highlight({ hit, attribute: 'title' })}</h3>
          <p>${components.Highlight({ hit, attribute: 'author' })}, ${hit.year}, ${hit.price} €</p>
          <p>${components.Highlight({ hit, attribute: 'overview' })}</p>
        </article>
      `,
      empty: ({ query }, { html }) => html`<p>Nothing about “${query}”.</p>`,
    },
  }),
  pagination({ container: '#pages' }),
]);

search.start();
