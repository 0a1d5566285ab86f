import { Component, type ReactNode } from 'react';
import { Notice, sentence } from '../ui/Notice';

interface Props {
  /** What the page is called. */
  name: string;
  children: ReactNode;
}

/** Holds the failure of one page, so that the others can still be reached. */
export class PageBoundary extends Component<Props, { failure: Error | null }> {
  override state: { failure: Error | null } = { failure: null };

  static getDerivedStateFromError(cause: unknown) {
    return { failure: cause instanceof Error ? cause : new Error(String(cause)) };
  }

  override render() {
    const { failure } = this.state;
    if (!failure) return this.props.children;
    return (
      <Notice tone="bad" title={`${this.props.name} can't be shown`}>
        <p className="break">{sentence(`${failure.name}: ${failure.message}`)}</p>
        <p>That is a mistake of the dashboard. The other pages go on, and what you had not saved of a rule is kept in this tab.</p>
        <button type="button" onClick={() => window.location.reload()}>
          Reload
        </button>
      </Notice>
    );
  }
}
