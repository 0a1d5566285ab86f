import { useEffect, useRef, useState } from 'react';

interface Props {
  /** The text is said when this changes, however often the text does. */
  when: string;
  text: string;
  /** Whether it is said at first as well. */
  first?: boolean;
}

const SAID_MS = 5_000;

/** Tells those who listen that things have changed, and not every figure that comes with it. */
export function Announce({ when, text, first = false }: Props) {
  const [said, setSaid] = useState('');
  const before = useRef(first ? null : when);
  const latest = useRef(text);
  latest.current = text;
  useEffect(() => {
    if (before.current === when) return undefined;
    before.current = when;
    setSaid(latest.current);
    // Whoever reads the page later shall not find what was true once.
    const timer = setTimeout(() => setSaid(''), SAID_MS);
    return () => clearTimeout(timer);
  }, [when]);
  return (
    <span className="hidden" role="status">
      {said}
    </span>
  );
}
