import { Button, Dialog, Flex, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { formatBalance, formatDebt } from '../ui/figures.ts';
import { Notice } from '../ui/Notice.tsx';
import type { AroundProps } from '../ui/DeletionPanel.tsx';
import { FailureAlert } from '../ui/FailureAlert.tsx';
import { RetryButton } from '../ui/RetryButton.tsx';
import { TextLink } from '../ui/TextLink.tsx';

/** Before an organization is deleted: says which balance is lost, or what it owes (PAY-18). `children` is the form. */
export function DeletionBalance({ actor, onClose, children }: AroundProps) {
  const { balanceMicros, balanceFailure, hasBalanceChanged, orgUuid } = useSelector(
    actor,
    (snapshot) => snapshot.context,
  );
  const isReadingBalance = useSelector(actor, (snapshot) => snapshot.hasTag('readingBalance'));
  const isBalanceUnread = useSelector(actor, (snapshot) => snapshot.hasTag('balanceUnread'));
  const isOwing = useSelector(actor, (snapshot) => snapshot.hasTag('owing'));
  const isForfeiting = useSelector(actor, (snapshot) => snapshot.hasTag('forfeiting'));
  return (
    <Flex direction="column" gap="5">
      <Flex role="status" direction="column" gap="5" fontSize="sm" _empty={{ display: 'none' }}>
        {isReadingBalance ? <Text color="fg.muted">Reading the balance…</Text> : null}
        {hasBalanceChanged && !isReadingBalance ? (
          <Notice tone="info" title="The balance has changed. Nothing was deleted." />
        ) : null}
        {isForfeiting ? (
          <Notice tone="warning" title={`The balance of ${formatBalance(balanceMicros)} will be lost.`}>
            Remaining credit and payments aren&apos;t refunded. Receipts can&apos;t be opened afterwards: save them
            first.
          </Notice>
        ) : null}
        {isOwing ? (
          <Text>
            The organization owes <span>{formatDebt(balanceMicros)}</span>. Pay it first in the{' '}
            <TextLink to={{ screen: 'billingOverview', orgUuid }}>billing overview</TextLink>.
          </Text>
        ) : null}
      </Flex>
      <FailureAlert failure={isBalanceUnread ? balanceFailure : null} title="The balance could not be read.">
        <RetryButton actor={actor} />
      </FailureAlert>
      {children ?? (
        <Dialog.Footer p="0">
          <Button variant="outline" onClick={onClose}>
            {isOwing ? 'Close' : 'Cancel'}
          </Button>
        </Dialog.Footer>
      )}
    </Flex>
  );
}
