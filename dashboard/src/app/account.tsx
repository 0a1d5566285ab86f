import { createContext, useContext, useEffect, useState, type ReactNode } from 'react';
import { whoAmI } from '../api/calls';
import { isAbort } from '../api/client';
import { Problem } from '../api/problem';
import { onRefused, session } from '../api/session';
import type { Role, WhoAmI } from '../api/types';
import { backoffMs } from '../api/stream';
import { Loading, ProblemNotice } from '../ui/Notice';
import { SignIn } from './SignIn';

interface Account extends WhoAmI {
  mayChange: boolean;
}

const OPEN: Account = { role: 'admin', guarded: false, name: null, mayChange: true };
const Context = createContext<Account>(OPEN);

export const useAccount = () => useContext(Context);
export const AccountValue = Context.Provider;

const mayRead = (role: Role) => role === 'admin' || role === 'read';

/** Shows the application to users with read access, and the sign-in form to others. */
export function AccountGate({ children }: { children: ReactNode }) {
  const [who, setWho] = useState<WhoAmI | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [refused, setRefused] = useState(false);
  const [round, setRound] = useState(0);

  useEffect(() => {
    const retry = () => setRound((n) => n + 1);
    onRefused(() => {
      if (session.token()) setRefused(true);
      session.signOut();
      retry();
    });
    return session.subscribe(() => {
      // Hides everything without a token, even while the service is unavailable.
      if (session.token() === null) setWho(null);
      retry();
    });
  }, []);

  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = async (failures: number) => {
      try {
        const found = await whoAmI(stop.signal);
        if (stop.signal.aborted) return;
        setWho(found);
        setProblem(null);
      } catch (cause) {
        if (stop.signal.aborted || isAbort(cause)) return;
        const found = Problem.of(cause);
        // The token was rejected: signed out, and requested again without it.
        if (found.status === 401) return;
        setProblem(found);
        timer = setTimeout(() => void ask(failures + 1), backoffMs(failures));
      }
    };
    void ask(0);
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [round]);

  if (!who) return <main className="alone">{problem ? <ProblemNotice problem={problem} /> : <Loading what="the dashboard" />}</main>;
  if (!mayRead(who.role)) {
    const shown = session.token() !== null;
    return (
      <SignIn
        refused={refused || (shown && who.role === 'none')}
        checkOnly={shown && who.role === 'check'}
        onToken={(token) => {
          setRefused(false);
          setWho(null);
          session.signIn(token);
        }}
      />
    );
  }
  return <Context value={{ ...who, mayChange: who.role === 'admin' }}>{children}</Context>;
}
