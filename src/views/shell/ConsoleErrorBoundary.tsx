import { Component, type ReactNode } from 'react';
import { ConsoleErrorPage } from './ConsoleErrorPage.tsx';

type Props = { children: ReactNode };
type Caught = { error: unknown; failed: boolean };

/** Around everything: a crash while rendering shows the 'Console error' screen instead of a white page. */
export class ConsoleErrorBoundary extends Component<Props, Caught> {
  override state: Caught = { error: null, failed: false };

  static getDerivedStateFromError(error: unknown): Caught {
    return { error, failed: true };
  }

  override render() {
    return this.state.failed ? <ConsoleErrorPage error={this.state.error} /> : this.props.children;
  }
}
