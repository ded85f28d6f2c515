// The search field of the pages: looks through their sections in the browser.

const input = document.getElementById('search');
const found = document.getElementById('found');
const MOST = 12;
const AROUND = 60;

let sections = null;

async function read() {
  sections ??= fetch('/docs/assets/sections.json').then((answer) => answer.json());
  return sections;
}

/** How well a section fits: all words must be there, in the heading they count more. */
function score(section, words) {
  const heading = `${section.heading} ${section.title}`.toLowerCase();
  const text = section.text.toLowerCase();
  let sum = 0;
  for (const word of words) {
    if (section.heading.toLowerCase() === word) sum += 8;
    else if (heading.includes(word)) sum += 4;
    else if (text.includes(word)) sum += 1;
    else return 0;
  }
  return sum;
}

/** The words around the first match. */
function excerpt(section, words) {
  const at = section.text.toLowerCase().indexOf(words[0]);
  const from = Math.max(0, at - AROUND);
  const to = Math.max(at, 0) + 2 * AROUND;
  return (from > 0 ? '…' : '') + section.text.slice(from, to) + (to < section.text.length ? '…' : '');
}

function entry(section, words) {
  const link = document.createElement('a');
  const page = section.page === '' ? '/docs' : `/docs/${section.page}`;
  link.href = section.id === '' ? page : `${page}#${section.id}`;
  link.append(section.heading === section.title ? section.title : `${section.title}: ${section.heading}`);
  const small = document.createElement('small');
  small.textContent = excerpt(section, words);
  link.append(small);
  return link;
}

async function search() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) {
    found.hidden = true;
    return;
  }
  const all = await read();
  const best = all
    .map((section) => ({ section, points: score(section, words) }))
    .filter(({ points }) => points > 0)
    .sort((a, b) => b.points - a.points)
    .slice(0, MOST);
  found.replaceChildren(...best.map(({ section }) => entry(section, words)));
  if (best.length === 0) {
    const nothing = document.createElement('p');
    nothing.textContent = 'No results.';
    found.append(nothing);
  }
  found.hidden = false;
}

/** Arrows go through what was found, Escape closes it. */
function move(event) {
  const entries = [input, ...found.querySelectorAll('a')];
  const place = entries.indexOf(document.activeElement);
  if (event.key === 'Escape') {
    found.hidden = true;
    input.focus();
  } else if (event.key === 'ArrowDown' && !found.hidden) {
    entries[Math.min(place + 1, entries.length - 1)].focus();
    event.preventDefault();
  } else if (event.key === 'ArrowUp' && place > 0) {
    entries[place - 1].focus();
    event.preventDefault();
  }
}

const box = input.closest('.search');
box.hidden = false;
input.addEventListener('input', search);
box.addEventListener('keydown', move);
document.addEventListener('click', (event) => {
  if (!box.contains(event.target)) found.hidden = true;
});
document.addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof HTMLInputElement;
  if (event.key === '/' && !isTyping) {
    input.focus();
    event.preventDefault();
  }
});

// On a phone the list of pages would push the text off the screen.
if (matchMedia('(max-width: 52rem)').matches) document.querySelector('.pages').open = false;
