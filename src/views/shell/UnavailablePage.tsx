import { Box } from '@chakra-ui/react';
import type { Route } from '#machines/shared/route.ts';
import { headingOf } from '../../screens/titles.ts';
import { TestModeNote } from '../billing/TestModeNote.tsx';
import { NO_PRICES } from '../organization/figures.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { Page } from '../ui/Page.tsx';
import { useRoute, useSettings } from '../ui/state.ts';

const BILLING: readonly Route['screen'][] = ['billingOverview', 'paymentSetup'];

/** What there is instead, as far as anything has a price (UXP-32). */
const billing = (hasPrices: boolean): string =>
  hasPrices
    ? 'This version sends no invoices and takes no payments. See Usage of each project for what was used and what it cost.'
    : `${NO_PRICES}. See Usage of each project for what was used.`;

/** A screen that has its address and not its contents: it says so. */
export function UnavailablePage() {
  const route = useRoute();
  const { hasPrices } = useSettings();
  const isBilling = BILLING.includes(route.screen);
  const missing = isBilling ? billing(hasPrices) : undefined;
  return (
    <Page heading={headingOf(route)}>
      {isBilling ? (
        <Box mb="6">
          <TestModeNote />
        </Box>
      ) : null}
      <EmptyState title="Not available yet">{missing ?? 'This part of the console is not in this version.'}</EmptyState>
    </Page>
  );
}
