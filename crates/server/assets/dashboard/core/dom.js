// Building elements. Text always becomes a text node: nothing in the dashboard is parsed as HTML,
// and the page's policy (`require-trusted-types-for`) would refuse it.

const SVG = 'http://www.w3.org/2000/svg';

/** Properties that must be set as such, and after the children are there. */
const LATE = new Set(['value', 'checked', 'indeterminate', 'open', 'selected']);

export function h(tag, props, ...children) {
  return build(document.createElement(tag), props, children);
}

export function svg(tag, props, ...children) {
  return build(document.createElementNS(SVG, tag), props, children);
}

function build(element, props, children) {
  const late = [];
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'style') setStyles(element, value);
    else if (name === 'data') Object.assign(element.dataset, value);
    else if (LATE.has(name)) late.push([name, value]);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  append(element, children);
  for (const [name, value] of late) element[name] = value;
  return element;
}

/** Through the object model, which the content policy allows where it forbids attributes. */
function setStyles(element, styles) {
  for (const [name, value] of Object.entries(styles)) element.style.setProperty(name, String(value));
}

export function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false || child === true) continue;
    element.append(child instanceof Node ? child : String(child));
  }
  return element;
}

/** Puts other children in the place of those that are there. */
export function fill(element, ...children) {
  element.replaceChildren();
  return append(element, children);
}

let lastId = 0;

/** An id for a label and its control. */
export function freshId(prefix) {
  lastId += 1;
  return `${prefix}-${lastId}`;
}

/** Calls when there was a pause, with the last arguments. */
export function debounced(pauseMs, action) {
  let timer = 0;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...args), pauseMs);
  };
}

let isPressed = false;
addEventListener('pointerdown', (event) => (isPressed = event.button === 0), true);
// The click follows the release, and must find the element that was pressed.
const release = () => setTimeout(() => (isPressed = false));
addEventListener('pointerup', release, true);
addEventListener('pointercancel', release, true);

/**
 * Calls at most once in this time, however often it is wished, and not while the pointer is down:
 * an action that redraws a button between press and release would lose the click.
 */
export function calmed(everyMs, action) {
  let timer = null;
  const run = () => {
    timer = isPressed ? setTimeout(run, everyMs) : null;
    if (timer === null) action();
  };
  return () => {
    timer ??= setTimeout(run, everyMs);
  };
}
