import { Flex } from '@chakra-ui/react';
import type { ReactNode } from 'react';
import { headingOf } from '../../screens/titles.ts';
import { NO_PRICES } from '../ui/figures.ts';
import { Page } from '../ui/Page.tsx';
import { useHasPrices, useRoute } from '../ui/state.ts';
import { TestModeNote } from './TestModeNote.tsx';

type Props = {
  intro?: ReactNode;
  /** Buttons beside the heading. */
  actions?: ReactNode;
  children: ReactNode;
};

/** The frame of a billing screen. Says if payments are tests, and if the server charges nothing. */
export function BillingPage({ intro, actions, children }: Props) {
  const route = useRoute();
  const hasPrices = useHasPrices();
  return (
    <Page heading={headingOf(route)} badge={<TestModeNote />} intro={intro} actions={actions}>
      <Flex direction="column" gap={{ base: '4', md: '6' }}>
        {hasPrices ? null : (
          <Flex role="note" p="4" borderRadius="l2" borderWidth="1px" bg="bg.subtle" fontSize="sm">
            {`${NO_PRICES}. Nothing is charged on this server.`}
          </Flex>
        )}
        {children}
      </Flex>
    </Page>
  );
}
