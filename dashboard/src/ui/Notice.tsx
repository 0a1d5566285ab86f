import type { ReactNode } from 'react';
import type { Problem } from '../api/problem';

export type Tone = 'good' | 'info' | 'warning' | 'bad';

const MARKS: Record<Tone, string> = {
  good: 'M4 10.5l4 4 8-9',
  info: 'M10 9v6M10 5.5v.01',
  warning: 'M10 6v5M10 14v.01M10 2l8.5 15.5h-17z',
  bad: 'M6 6l8 8M14 6l-8 8',
};

/** An icon for each tone, so that meaning does not depend on colour alone. */
export function Mark({ tone }: { tone: Tone }) {
  return (
    <svg className={`mark ${tone}`} viewBox="0 0 20 20" aria-hidden="true">
      <path d={MARKS[tone]} />
    </svg>
  );
}

export function Notice({ tone, title, children }: { tone: Tone; title?: ReactNode; children?: ReactNode }) {
  return (
    <div className={`notice ${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
      <Mark tone={tone} />
      <div>
        {title && <strong>{title}</strong>}
        {children && <div>{children}</div>}
      </div>
    </div>
  );
}

/** Shows a problem and a way to retry. */
export function ProblemNotice({ problem, again, children }: { problem: Problem; again?: () => void; children?: ReactNode }) {
  return (
    <Notice tone="bad" title={title(problem.status)}>
      <p>{sentence(problem.detail)}</p>
      {problem.status === 404 && problem.detail.includes('nothing at') && (
        <p>This version of the service does not support this page.</p>
      )}
      {children && <p>{children}</p>}
      {again && (
        <button type="button" onClick={again}>
          Try again
        </button>
      )}
    </Notice>
  );
}

function title(status: number): string {
  if (status === 0) return 'No response';
  if (status === 401) return 'Not signed in';
  if (status === 403) return 'Not allowed';
  if (status === 404) return 'Not found';
  if (status === 412) return 'Changed in the meantime';
  if (status === 503) return 'Unavailable';
  return status >= 500 ? 'The service failed' : 'Not accepted';
}

export const sentence = (text: string) => {
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(first) ? first : `${first}.`;
};

export function Loading({ what }: { what: string }) {
  return (
    <p className="loading" role="status">
      Loading {what}…
    </p>
  );
}

export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <strong>{title}</strong>
      {children && <div>{children}</div>}
    </div>
  );
}
