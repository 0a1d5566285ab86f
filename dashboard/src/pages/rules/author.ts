// The author's name, stored in this browser. If tokens have names, the service adds them.

const KEY = 'headgate.author';

export const rememberedAuthor = () => localStorage.getItem(KEY) ?? '';

export function rememberAuthor(name: string) {
  if (name) localStorage.setItem(KEY, name);
  else localStorage.removeItem(KEY);
}
