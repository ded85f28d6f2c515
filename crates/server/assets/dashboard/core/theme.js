// Light, dark, or as the system says. The browser remembers the choice.

const NAME = 'sonde-theme';
const CHOICES = ['system', 'light', 'dark'];

export function theme() {
  try {
    const kept = localStorage.getItem(NAME);
    return CHOICES.includes(kept) ? kept : 'system';
  } catch {
    return 'system';
  }
}

export function nextTheme() {
  return CHOICES[(CHOICES.indexOf(theme()) + 1) % CHOICES.length];
}

export function setTheme(choice) {
  try {
    localStorage.setItem(NAME, choice);
  } catch {
    // A browser that keeps nothing still shows the choice until the page is closed.
  }
  apply(choice);
}

export function apply(choice = theme()) {
  if (choice === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = choice;
}
