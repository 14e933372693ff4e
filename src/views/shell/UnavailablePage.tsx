import { EmptyState } from '../ui/EmptyState.tsx';
import { Page } from '../ui/Page.tsx';
import { useRoute } from '../ui/state.ts';
import { headingOf } from '../../titles.ts';

/** A screen that has its address and not its contents: it says so. */
export function UnavailablePage() {
  return (
    <Page heading={headingOf(useRoute())}>
      <EmptyState title="Not available yet">This part of the console is not in this version.</EmptyState>
    </Page>
  );
}
