import { useId, useState } from 'react';
import { rememberAuthor, rememberedAuthor } from './author';

export interface Signature {
  author: string;
  message: string;
}

export function useSignature() {
  const [author, setAuthor] = useState(rememberedAuthor);
  const [message, setMessage] = useState('');
  return {
    author,
    message,
    setMessage,
    setAuthor: (name: string) => {
      setAuthor(name);
      rememberAuthor(name.trim());
    },
    given: { author: author.trim(), message: message.trim() },
  };
}

/** Input fields for the reason and the author recorded in the history. */
export function Signing({ signature }: { signature: ReturnType<typeof useSignature> }) {
  const name = useId();
  return (
    <div className="signing">
      <div className="field">
        <label htmlFor={`${name}-why`}>Reason</label>
        <input
          id={`${name}-why`}
          maxLength={500}
          placeholder="Reason, shown in the history"
          value={signature.message}
          onChange={(event) => signature.setMessage(event.target.value)}
        />
      </div>
      <div className="field">
        <label htmlFor={`${name}-who`}>Author</label>
        <input
          id={`${name}-who`}
          maxLength={100}
          placeholder="Your name"
          autoComplete="name"
          value={signature.author}
          onChange={(event) => signature.setAuthor(event.target.value)}
        />
      </div>
    </div>
  );
}
