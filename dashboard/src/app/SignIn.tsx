import { useState } from 'react';
import { Notice } from '../ui/Notice';
import { Wordmark } from './Wordmark';

interface Props {
  refused: boolean;
  tooLittle: boolean;
  onToken: (token: string) => void;
}

export function SignIn({ refused, tooLittle, onToken }: Props) {
  const [token, setToken] = useState('');
  return (
    <main className="alone">
      <form
        className="sign-in"
        onSubmit={(event) => {
          event.preventDefault();
          if (token.trim()) onToken(token.trim());
        }}
      >
        <h1>
          <Wordmark />
        </h1>
        <p>This service is guarded. Show a token that may read, or an admin token to change rules as well.</p>
        {refused && <Notice tone="bad" title="That token is not known here">Look at how it was set: --read-token, --admin-token or --token-file.</Notice>}
        {tooLittle && <Notice tone="bad" title="That token may only check">Reading takes a read token, changing an admin token.</Notice>}
        <label htmlFor="token">Token</label>
        <input
          id="token"
          type="password"
          autoComplete="current-password"
          autoFocus
          value={token}
          onChange={(event) => setToken(event.target.value)}
        />
        <button type="submit" className="primary" disabled={token.trim() === ''}>
          Sign in
        </button>
        <p className="quiet">It is kept until this tab is closed, and sent to nobody else.</p>
      </form>
    </main>
  );
}
