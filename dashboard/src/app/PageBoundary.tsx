import { Component, type ReactNode } from 'react';
import { Notice, sentence } from '../ui/Notice';

interface Props {
  /** Title of the page. */
  name: string;
  children: ReactNode;
}

/** Error boundary of one page, so that the other pages stay usable. */
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
        <p>This is an error in the dashboard. Other pages still work, and unsaved changes of a rule are kept in this tab.</p>
        <button type="button" onClick={() => window.location.reload()}>
          Reload
        </button>
      </Notice>
    );
  }
}
