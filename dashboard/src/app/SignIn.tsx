import { useState } from 'react';
import { Notice } from '../ui/Notice';
import { Wordmark } from './Wordmark';

interface Props {
  refused: boolean;
  checkOnly: boolean;
  onToken: (token: string) => void;
}

/**
 * Printable ASCII without spaces: the tokens the service accepts and a browser can send in a
 * header.
 */
const TOKEN = /^[\x21-\x7e]+$/;

export function SignIn({ refused, checkOnly, onToken }: Props) {
  const [token, setToken] = useState('');
  const [malformed, setMalformed] = useState(false);
  return (
    <main className="alone">
      <form
        className="sign-in"
        onSubmit={(event) => {
          event.preventDefault();
          const given = token.trim();
          setMalformed(!TOKEN.test(given));
          if (TOKEN.test(given)) onToken(given);
        }}
      >
        <h1>
          <Wordmark />
        </h1>
        <p>This service requires a token. Use a read token to view, or an admin token to also change rules.</p>
        {malformed && <Notice tone="bad" title="Not a valid token">Tokens consist of printable ASCII characters without spaces. Check that nothing else was copied with it.</Notice>}
        {refused && !malformed && <Notice tone="bad" title="Unknown token">Check how the service was configured: --read-token, --admin-token or --token-file.</Notice>}
        {checkOnly && !malformed && <Notice tone="bad" title="This token may only send checks">Viewing requires a read token, changing an admin token.</Notice>}
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
        <p className="quiet">The token is stored until this tab is closed, and is sent to this service only.</p>
      </form>
    </main>
  );
}
