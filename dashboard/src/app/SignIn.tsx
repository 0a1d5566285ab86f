import { useState } from 'react';
import { Notice } from '../ui/Notice';
import { Wordmark } from './Wordmark';

interface Props {
  refused: boolean;
  tooLittle: boolean;
  onToken: (token: string) => void;
}

/** What the service takes for a token, and what a browser sends in a header. */
const FIT = /^[\x21-\x7e]+$/;

export function SignIn({ refused, tooLittle, onToken }: Props) {
  const [token, setToken] = useState('');
  const [unfit, setUnfit] = useState(false);
  return (
    <main className="alone">
      <form
        className="sign-in"
        onSubmit={(event) => {
          event.preventDefault();
          const given = token.trim();
          setUnfit(!FIT.test(given));
          if (FIT.test(given)) onToken(given);
        }}
      >
        <h1>
          <Wordmark />
        </h1>
        <p>This service is guarded. Show a token that may read, or an admin token to change rules as well.</p>
        {unfit && <Notice tone="bad" title="That can't be a token">Tokens have letters, digits and signs of ASCII, and no blanks. Perhaps something else came with it when it was copied.</Notice>}
        {refused && !unfit && <Notice tone="bad" title="That token is not known here">Look at how it was set: --read-token, --admin-token or --token-file.</Notice>}
        {tooLittle && !unfit && <Notice tone="bad" title="That token may only check">Reading takes a read token, changing an admin token.</Notice>}
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
