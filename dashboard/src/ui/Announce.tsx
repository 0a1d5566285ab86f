import { useEffect, useRef, useState } from 'react';

interface Props {
  /** The text is announced when this value changes, however often the text does. */
  when: string;
  text: string;
  /** Whether the initial text is announced as well. */
  first?: boolean;
}

const CLEAR_AFTER_MS = 5_000;

/** Announces changes of state to screen readers, without announcing every update of the text. */
export function Announce({ when, text, first = false }: Props) {
  const [announced, setAnnounced] = useState('');
  const before = useRef(first ? null : when);
  const latest = useRef(text);
  latest.current = text;
  useEffect(() => {
    if (before.current === when) return undefined;
    before.current = when;
    setAnnounced(latest.current);
    // Cleared, so that a screen reader does not find outdated text later.
    const timer = setTimeout(() => setAnnounced(''), CLEAR_AFTER_MS);
    return () => clearTimeout(timer);
  }, [when]);
  return (
    <span className="hidden" role="status">
      {announced}
    </span>
  );
}
