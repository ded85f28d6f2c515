// A map without a map service: places as points on a grid of degrees. Nothing is fetched from
// elsewhere. Points of all matches are faint; the hits of the page are numbered.

import { h, svg, fill } from '../core/dom.js';
import { metres } from '../core/format.js';
import { icon } from '../core/icons.js';
import { distance, lineStep, project, roundLength, unproject } from './projection.js';

const LARGEST = 2 ** 18;
const MARGIN = 36;
/** Numbers nearer than this cannot be read. */
const APART = 15;

export function createMap({ onOpen, onArea, onOrigin, geoFilters, geoSorts }) {
  const view = { x: 0.5, y: 0.45, size: 512, width: 600, height: 320, isMoved: false };
  let data = { crowd: [], pins: [], origin: null, first: 1 };
  let hot = null;

  const drawing = svg('svg', { class: 'map-drawing', 'aria-hidden': 'true' });
  const ground = h(
    'div',
    {
      class: 'map-ground',
      tabindex: 0,
      role: 'application',
      'aria-label': 'Map of the hits. Use the arrow keys to move it, plus and minus to zoom.',
    },
    drawing,
  );
  const button = (label, sign, action) =>
    h(
      'button',
      { type: 'button', class: 'icon-button map-button', 'aria-label': label, title: label, onclick: action },
      sign,
    );
  const root = h(
    'section',
    { class: 'map', 'aria-label': 'Map' },
    ground,
    h(
      'div',
      { class: 'map-zoom' },
      button('Zoom in', icon('plus'), () => zoom(2)),
      button('Zoom out', '−', () => zoom(0.5)),
      button('Show all hits', icon('pin'), () => {
        view.isMoved = false;
        fit();
        draw();
      }),
    ),
    h(
      'div',
      { class: 'map-actions' },
      geoFilters
        ? h(
            'button',
            { type: 'button', class: 'button button-small', onclick: () => onArea(area()) },
            'Search this area',
          )
        : null,
      geoSorts
        ? h(
            'button',
            {
              type: 'button',
              class: 'button button-small',
              onclick: () => onOrigin(rounded(unproject(view))),
            },
            'Sort by distance from the centre',
          )
        : null,
    ),
  );

  const at = (place) => {
    const { x, y } = project(place);
    return { x: (x - view.x) * view.size + view.width / 2, y: (y - view.y) * view.size + view.height / 2 };
  };
  const corner = (x, y) =>
    unproject({
      x: view.x + (x - view.width / 2) / view.size,
      y: view.y + (y - view.height / 2) / view.size,
    });

  function area() {
    const [topLeft, bottomRight] = [corner(0, 0), corner(view.width, view.height)];
    const clamp = (value, most) => Math.max(-most, Math.min(most, value));
    return [
      clamp(topLeft.lat, 90),
      clamp(bottomRight.lng, 180),
      clamp(bottomRight.lat, 90),
      clamp(topLeft.lng, 180),
    ];
  }

  function zoom(factor) {
    view.size = Math.max(256, Math.min(LARGEST * 256, view.size * factor));
    view.isMoved = true;
    draw();
  }

  function move(right, down) {
    view.x = Math.max(0, Math.min(1, view.x + right / view.size));
    view.y = Math.max(0, Math.min(1, view.y + down / view.size));
    view.isMoved = true;
    draw();
  }

  /** Shows every point, unless somebody moved the map. */
  function fit() {
    const points = [...data.crowd, ...data.pins.map((pin) => pin.place)].map(project);
    if (view.isMoved || points.length === 0) return;
    const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
    const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    view.x = (left + right) / 2;
    view.y = (top + bottom) / 2;
    const room = Math.min(
      (view.width - 2 * MARGIN) / Math.max(right - left, 1e-5),
      (view.height - 2 * MARGIN) / Math.max(bottom - top, 1e-5),
    );
    view.size = Math.max(256, Math.min(2 ** 16 * 16, room));
  }

  function grid() {
    const [northWest, southEast] = [corner(0, 0), corner(view.width, view.height)];
    const step = lineStep(southEast.lng - northWest.lng);
    const lines = [];
    const name = (degree, positive, negative) =>
      `${Math.abs(Number(degree.toFixed(3)))}°${degree === 0 ? '' : degree > 0 ? positive : negative}`;
    const east = Math.min(180, southEast.lng);
    for (let lng = Math.ceil(Math.max(-180, northWest.lng) / step) * step; lng <= east; lng += step) {
      const { x } = at({ lat: 0, lng });
      lines.push(
        svg('line', { x1: x, x2: x, y1: 0, y2: view.height }),
        svg('text', { x: x + 4, y: view.height - 6 }, name(lng, 'E', 'W')),
      );
    }
    for (let lat = Math.ceil(southEast.lat / step) * step; lat <= northWest.lat; lat += step) {
      const { y } = at({ lat, lng: 0 });
      lines.push(
        svg('line', { x1: 0, x2: view.width, y1: y, y2: y }),
        svg('text', { x: 6, y: y - 4 }, name(lat, 'N', 'S')),
      );
    }
    return svg('g', { class: 'map-grid' }, lines);
  }

  function scale() {
    const [a, b] = [corner(0, view.height / 2), corner(100, view.height / 2)];
    const perPixel = distance(a, b) / 100;
    const length = roundLength(perPixel * 120);
    if (!Number.isFinite(length)) return null;
    const width = length / perPixel;
    const [x, y] = [view.width - width - 14, view.height - 14];
    return svg(
      'g',
      { class: 'map-scale' },
      svg('path', { d: `M${x} ${y - 5}v5h${width}v-5` }),
      svg('text', { x: x + width / 2, y: y - 8, 'text-anchor': 'middle' }, metres(length)),
    );
  }

  function draw() {
    drawing.setAttribute('viewBox', `0 0 ${view.width} ${view.height}`);
    const pins = numbered(data.pins.map((pin) => ({ ...pin, ...at(pin.place) })));
    fill(
      drawing,
      grid(),
      svg(
        'g',
        { class: 'map-crowd' },
        data.crowd.map((place) => {
          const { x, y } = at(place);
          return svg('circle', { cx: x, cy: y, r: 2.4 });
        }),
      ),
      pins
        .toReversed()
        .map((pin) =>
          svg(
            'g',
            {
              class: pin.rank === hot ? 'map-pin is-hot' : 'map-pin',
              transform: `translate(${pin.x} ${pin.y})`,
              onclick: () => onOpen(pin.hit),
            },
            svg('title', null, pin.title),
            svg('circle', { r: pin.hasNumber ? 9 : 5 }),
            pin.hasNumber || pin.rank === hot
              ? svg('text', { y: 3.5, 'text-anchor': 'middle' }, data.first + pin.rank)
              : null,
          ),
        ),
      data.origin ? originSign(at(data.origin)) : null,
      scale(),
    );
  }

  let drag = null;
  ground.addEventListener('pointerdown', (event) => {
    if (event.target.closest('.map-pin')) return;
    drag = { x: event.clientX, y: event.clientY };
    ground.setPointerCapture(event.pointerId);
  });
  ground.addEventListener('pointermove', (event) => {
    if (!drag) return;
    move(drag.x - event.clientX, drag.y - event.clientY);
    drag = { x: event.clientX, y: event.clientY };
  });
  ground.addEventListener('pointerup', () => (drag = null));
  ground.addEventListener('pointercancel', () => (drag = null));
  ground.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      zoom(event.deltaY < 0 ? 1.25 : 0.8);
    },
    { passive: false },
  );
  ground.addEventListener('keydown', (event) => {
    const step = 60;
    const moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };
    if (moves[event.key]) move(...moves[event.key]);
    else if (event.key === '+' || event.key === '=') zoom(2);
    else if (event.key === '-') zoom(0.5);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  const observer = new ResizeObserver(([entry]) => {
    view.width = Math.max(200, entry.contentRect.width);
    view.height = Math.max(160, entry.contentRect.height);
    fit();
    draw();
  });
  observer.observe(ground);

  return {
    root,
    show(next) {
      data = { ...data, ...next };
      fit();
      draw();
    },
    point(rank) {
      hot = rank;
      draw();
    },
    end: () => observer.disconnect(),
  };
}

/** Of pins that cover each other only the first has its number; the others show it when pointed at. */
function numbered(pins) {
  const shown = [];
  for (const pin of pins) {
    pin.hasNumber = shown.every((other) => Math.hypot(other.x - pin.x, other.y - pin.y) >= APART);
    if (pin.hasNumber) shown.push(pin);
  }
  return pins;
}

function originSign({ x, y }) {
  return svg(
    'g',
    { class: 'map-origin', transform: `translate(${x} ${y})` },
    svg('circle', { r: 7 }),
    svg('path', { d: 'M-12 0h6M6 0h6M0-12v6M0 6v6' }),
  );
}

function rounded({ lat, lng }) {
  return { lat: Number(lat.toFixed(4)), lng: Number(lng.toFixed(4)) };
}
