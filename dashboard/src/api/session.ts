// The token, for as long as the tab is open. It is sent as a header and stands in no address.

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

/** Told when the service refuses the token that was shown (401). */
type Refused = () => void;
let refused: Refused = () => {};
export const onRefused = (listener: Refused) => {
  refused = listener;
};
export const tokenRefused = () => refused();
