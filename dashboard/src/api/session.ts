// The token, stored until the tab is closed. It is sent as a header and never appears in a URL.

const KEY = 'headgate.token';
type Listener = () => void;
const listeners = new Set<Listener>();

export const session = {
  token(): string | null {
    return sessionStorage.getItem(KEY);
  },
  signIn(token: string) {
    sessionStorage.setItem(KEY, token);
    listeners.forEach((listener) => listener());
  },
  signOut() {
    sessionStorage.removeItem(KEY);
    listeners.forEach((listener) => listener());
  },
  subscribe(listener: Listener) {
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  },
};

/** Called when the service rejects the token (401). */
type Refused = () => void;
let refused: Refused = () => {};
export const onRefused = (listener: Refused) => {
  refused = listener;
};
export const tokenRefused = () => refused();
