// Small line drawings on a 16 by 16 grid. They say nothing to a screen reader: what they stand
// for is always written beside them or in a label.

import { svg } from './dom.js';

const PATHS = {
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.8 10.8 14 14',
  layers: 'M8 1.8 14.2 5 8 8.2 1.8 5zM2 8.2 8 11.3l6-3.1M2 11.2l6 3.1 6-3.1',
  upload: 'M8 10.5V2.2M4.8 5.2 8 2l3.2 3.2M2 10.5v2A1.5 1.5 0 0 0 3.5 14h9a1.5 1.5 0 0 0 1.5-1.5v-2',
  pulse: 'M1.5 8h3l2-5 3 10 2-5h3',
  key: 'M5.2 14a3.2 3.2 0 1 0 0-6.4 3.2 3.2 0 0 0 0 6.4zM7.6 8.6 14 2.2M11 5.2l2.2 2.2',
  hook: 'M8 6.2a2.2 2.2 0 1 0-2-3.2 2.2 2.2 0 0 0 .8 2.9L4.6 10M4 13.9a2.1 2.1 0 1 0-.7-4.1M12 14a2.2 2.2 0 1 0-2-3.1H5.9M8.4 5.9l2 3.6',
  gear: 'M8 10.2a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4zM8 1.5v2M8 12.5v2M1.5 8h2M12.5 8h2M3.4 3.4l1.4 1.4M11.2 11.2l1.4 1.4M3.4 12.6l1.4-1.4M11.2 4.8l1.4-1.4',
  sun: 'M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 1.4v1.4M8 13.2v1.4M1.4 8h1.4M13.2 8h1.4M3.3 3.3l1 1M11.7 11.7l1 1M3.3 12.7l1-1M11.7 4.3l1-1',
  moon: 'M13.5 9.6A6 6 0 0 1 6.4 2.5a6 6 0 1 0 7.1 7.1z',
  screen: 'M2 3h12v8H2zM5.5 14h5M8 11v3',
  close: 'M3.5 3.5l9 9M12.5 3.5l-9 9',
  plus: 'M8 3v10M3 8h10',
  check: 'M3 8.5l3.2 3.2L13 4.8',
  down: 'M4 6l4 4 4-4',
  up: 'M4 10l4-4 4 4',
  left: 'M10 3.5 5.5 8l4.5 4.5',
  right: 'M6 3.5 10.5 8 6 12.5',
  copy: 'M5.5 5.5V2.5h8v8h-3M2.5 5.5h8v8h-8z',
  trash: 'M2.5 4h11M6 4V2.5h4V4M4 4l.6 9.5h6.8L12 4M6.6 6.8v4M9.4 6.8v4',
  map: 'M1.8 4 6 2.2l4 1.8 4.2-1.8v9.8L10 13.8 6 12l-4.2 1.8zM6 2.2V12M10 4v9.8',
  list: 'M5.5 4h8.5M5.5 8h8.5M5.5 12h8.5M2 4h.6M2 8h.6M2 12h.6',
  bars: 'M3 13.5V8M8 13.5v-11M13 13.5V5.5',
  pin: 'M8 14.5S3 10 3 6.4a5 5 0 0 1 10 0C13 10 8 14.5 8 14.5zM8 8.2a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6z',
  clock: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.8V8l2.2 1.6',
  file: 'M3.5 1.8h6l3 3v9.4h-9zM9.2 1.8v3.4h3.3',
  warn: 'M8 2 14.5 13.5h-13zM8 6.2v3.6M8 11.6v.2',
  eye: 'M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8zM8 9.8a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6z',
  help: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM6.2 6.4a1.8 1.8 0 1 1 2.6 1.6c-.6.3-.8.6-.8 1.2M8 11.2v.1',
  lock: 'M3.5 7h9v6.5h-9zM5.5 7V5a2.5 2.5 0 0 1 5 0v2',
};

export function icon(name) {
  return svg(
    'svg',
    { class: 'icon', viewBox: '0 0 16 16', 'aria-hidden': 'true', focusable: 'false' },
    svg('path', { d: PATHS[name] }),
  );
}
