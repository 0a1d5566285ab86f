import { useSyncExternalStore } from 'react';

export type Choice = 'system' | 'light' | 'dark';
export type Shown = 'light' | 'dark';

const KEY = 'headgate.theme';
const listeners = new Set<() => void>();
const dark = () => window.matchMedia('(prefers-color-scheme: dark)');

function choice(): Choice {
  const kept = localStorage.getItem(KEY);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

const shown = (): Shown => {
  const chosen = choice();
  if (chosen !== 'system') return chosen;
  return dark().matches ? 'dark' : 'light';
};

/** Sets the theme attribute of the root element. */
export function applyTheme() {
  document.documentElement.dataset['theme'] = shown();
  listeners.forEach((listener) => listener());
}

export function followSystemTheme() {
  applyTheme();
  dark().addEventListener('change', applyTheme);
}

export function chooseTheme(chosen: Choice) {
  if (chosen === 'system') localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, chosen);
  applyTheme();
}

/** Switches to the other theme, or to the system setting if that is the same. */
export function toggleTheme() {
  const other = shown() === 'dark' ? 'light' : 'dark';
  chooseTheme((other === 'dark') === dark().matches ? 'system' : other);
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
};

export function useTheme(): { shown: Shown; choice: Choice } {
  const now = useSyncExternalStore(subscribe, shown);
  const chosen = useSyncExternalStore(subscribe, choice);
  return { shown: now, choice: chosen };
}
