import { createContext, useContext, useEffect, useState, type ReactNode } from 'react';
import { whoAmI } from '../api/calls';
import { isAbort } from '../api/client';
import { Problem } from '../api/problem';
import { onRefused, session } from '../api/session';
import type { Role, WhoAmI } from '../api/types';
import { pauseMs } from '../api/stream';
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

/** Lets those in who may read; the others are asked for a token. */
export function AccountGate({ children }: { children: ReactNode }) {
  const [who, setWho] = useState<WhoAmI | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [refused, setRefused] = useState(false);
  const [round, setRound] = useState(0);

  useEffect(() => {
    const again = () => setRound((n) => n + 1);
    onRefused(() => {
      if (session.token()) setRefused(true);
      session.signOut();
      again();
    });
    return session.subscribe(() => {
      // Nothing stays in sight without a token, also while the service can't be asked.
      if (session.token() === null) setWho(null);
      again();
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
        if (found.status === 401) return; // the token was refused: signed out, and asked again without
        setProblem(found);
        timer = setTimeout(() => void ask(failures + 1), pauseMs(failures));
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
        tooLittle={shown && who.role === 'check'}
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
