import type { Route } from '#machines/shared/route.ts';
import { headingOf } from '../../screens/titles.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { Page } from '../ui/Page.tsx';
import { useRoute } from '../ui/state.ts';

/** What is missing, where more can be said than that something is. */
const MISSING: Partial<Record<Route['screen'], string>> = {
  organizationLimits: 'This version shows no limits of the organization and changes none.',
  projectLimits: 'This version shows no limits of the project and changes none.',
  billing:
    'This version sends no invoices and takes no payments. What was used, and what it costs, is under Usage of each project.',
  logs: 'Requests to the speech API are counted, but this version lists them nowhere.',
  metrics: 'This version has no charts of errors and response times.',
};

/** A screen that has its address and not its contents: it says so. */
export function UnavailablePage() {
  const route = useRoute();
  return (
    <Page heading={headingOf(route)}>
      <EmptyState title="Not available yet">
        {MISSING[route.screen] ?? 'This part of the console is not in this version.'}
      </EmptyState>
    </Page>
  );
}
