import { Button, Flex, Text } from '@chakra-ui/react';
import { shallowEqual, useSelector } from '@xstate/react';
import { ReceiptText } from 'lucide-react';
import { TRANSACTION_KINDS, TRANSACTION_NAMES, receiptTitle } from '#contract/transactions.ts';
import type { TransactionsActor } from '#machines/workspace/billing/transactions/machine.ts';
import { pagesAround, pagingOf, viewShowing } from '#machines/workspace/billing/transactions/paging.ts';
import { Choice } from '../ui/Choice.tsx';
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx';
import { DownloadButtons, DownloadOutcome } from '../ui/Download.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { ExternalLink } from '../ui/ExternalLink.tsx';
import { FailureAlert } from '../ui/FailureAlert.tsx';
import { RetryButton } from '../ui/RetryButton.tsx';
import { ScreenLink } from '../ui/ScreenLink.tsx';
import { useWorkspace } from '../ui/state.ts';
import { AddressNotice } from '../ui/usage/BadAddressNotice.tsx';
import { BillingPage } from './BillingPage.tsx';
import { PageLinks } from './PageLinks.tsx';
import { TransactionsWaiting, TransactionTable } from './TransactionTable.tsx';

/** The transactions that changed the organization's balance, page by page (BIL-08). */
export function TransactionsPage() {
  const actor = useSelector(useWorkspace(), ({ children }) => children.transactions);
  return (
    <BillingPage
      intro="Everything that changed your balance. Usage is posted once a day (UTC)."
      actions={actor ? <DownloadButton actor={actor} /> : null}
    >
      {actor ? <Contents actor={actor} /> : null}
    </BillingPage>
  );
}

function DownloadButton({ actor }: { actor: TransactionsActor }) {
  const download = useSelector(actor, ({ children, context }) => (context.knowsKinds ? children.download : undefined));
  const orgUuid = useSelector(actor, ({ context }) => context.orgUuid);
  const kind = useSelector(actor, ({ context }) => pagingOf(context.view).kind ?? null);
  return download ? (
    <DownloadButtons
      download={download}
      formats={['csv']}
      tableAs={() => ({ of: 'transactions', orgUuid, kind }) as const}
    />
  ) : null;
}

const DOWNLOAD_TEXTS = {
  saving: 'Downloading the transactions.',
  saved: 'The transactions are downloaded.',
  refused: 'The transactions could not be downloaded.',
};

const BAD = {
  kind: "The address asks for a kind that doesn't exist. All kinds are shown.",
  page: "The address asks for a page that can't be shown. This is the first one.",
};

function Contents({ actor }: { actor: TransactionsActor }) {
  const bad = useSelector(actor, ({ context }) => context.bad);
  const download = useSelector(actor, ({ children }) => children.download);
  const knowsKinds = useSelector(actor, ({ context }) => context.knowsKinds);
  return (
    <>
      {bad.length === 0 ? null : <AddressNotice>{bad.map((part) => BAD[part]).join(' ')}</AddressNotice>}
      {download ? <DownloadOutcome download={download} texts={DOWNLOAD_TEXTS} /> : null}
      {knowsKinds ? <Kinds actor={actor} /> : null}
      <ReceiptOutcome actor={actor} />
      <Withdrawal actor={actor} />
      <List actor={actor} />
    </>
  );
}

/** The kinds to choose from. */
function Kinds({ actor }: { actor: TransactionsActor }) {
  const chosen = useSelector(actor, ({ context }) => pagingOf(context.view).kind ?? null);
  return (
    <Flex role="group" aria-label="Kind" gap="2" wrap="wrap">
      {[null, ...TRANSACTION_KINDS].map((kind) => (
        <Choice key={kind} isChosen={kind === chosen} onChoose={() => actor.send({ type: 'kind.chosen', kind })}>
          {kind === null ? 'All' : TRANSACTION_NAMES[kind]}
        </Choice>
      ))}
    </Flex>
  );
}

/** Says why a receipt did not open, or links to it if the browser blocked the tab. */
function ReceiptOutcome({ actor }: { actor: TransactionsActor }) {
  const failure = useSelector(actor, (snapshot) =>
    snapshot.hasTag('refused') ? snapshot.context.receiptFailure : null,
  );
  const url = useSelector(actor, (snapshot) => (snapshot.hasTag('blocked') ? snapshot.context.receiptUrl : null));
  const isOpening = useSelector(actor, (snapshot) => snapshot.hasTag('opening'));
  return (
    <>
      <Text as="output" srOnly>
        {isOpening ? 'Opening the receipt in a new tab.' : ''}
      </Text>
      <FailureAlert failure={failure} title="The receipt could not be opened." />
      {url === null ? null : (
        <Flex role="alert" gap="3" p="4" wrap="wrap" borderRadius="l2" borderWidth="1px" bg="bg.subtle" fontSize="sm">
          <Text>Your browser did not open a new tab.</Text>
          <ExternalLink href={url} color="brand.fg" fontWeight="medium" textDecoration="underline">
            Open the receipt
          </ExternalLink>
        </Flex>
      )}
    </>
  );
}

/** Asks before links to a receipt are withdrawn, and shows the outcome. */
function Withdrawal({ actor }: { actor: TransactionsActor }) {
  const name = useSelector(actor, ({ context: { rows, withdrawalOf } }) => {
    const receipt = rows.find(({ uuid }) => uuid === withdrawalOf)?.receipt;
    return receipt ? receiptTitle(receipt) : 'the receipt';
  });
  const isAsking = useSelector(actor, (snapshot) => snapshot.hasTag('asking'));
  const isWithdrawn = useSelector(actor, (snapshot) => snapshot.hasTag('withdrawn'));
  const failure = useSelector(actor, (snapshot) =>
    snapshot.hasTag('kept') ? snapshot.context.withdrawalFailure : null,
  );
  return (
    <>
      <Text as="output" fontSize="sm" {...(isWithdrawn ? {} : { srOnly: true })}>
        {isWithdrawn ? `The links to ${name} no longer work. Open it to get a new one.` : ''}
      </Text>
      <FailureAlert failure={failure} title={`The links to ${name} were not withdrawn.`} />
      <ConfirmDialog
        open={isAsking}
        title={`Withdraw the links to ${name}?`}
        confirmLabel="Withdraw"
        onConfirm={() => actor.send({ type: 'withdrawal.confirmed' })}
        onCancel={() => actor.send({ type: 'withdrawal.declined' })}
      >
        All links to it stop working. You can get a new one at any time.
      </ConfirmDialog>
    </>
  );
}

function List({ actor }: { actor: TransactionsActor }) {
  const failure = useSelector(actor, ({ context }) => context.failure);
  const status = useSelector(actor, (snapshot) =>
    (['loading', 'failed', 'empty', 'beyond', 'listed'] as const).find((tag) => snapshot.hasTag(tag)),
  );
  const isOutdated = useSelector(actor, (snapshot) => snapshot.hasTag('outdated'));
  const retry = <RetryButton actor={actor} />;
  switch (status) {
    case 'failed':
      return (
        <FailureAlert failure={failure} title="The transactions could not be loaded.">
          {retry}
        </FailureAlert>
      );
    case 'empty':
      return <Nothing actor={actor} />;
    case 'beyond':
      return <PastLastPage actor={actor} />;
    case 'listed':
      return (
        <>
          {isOutdated ? (
            <FailureAlert failure={failure} title="The newest transactions could not be loaded.">
              {retry}
            </FailureAlert>
          ) : null}
          <TransactionTable actor={actor} />
          <PageLinks actor={actor} />
        </>
      );
    case 'loading':
    case undefined:
      return <TransactionsWaiting />;
  }
}

function Nothing({ actor }: { actor: TransactionsActor }) {
  const isOfKind = useSelector(actor, ({ context }) => pagingOf(context.view).kind !== undefined);
  return isOfKind ? (
    <EmptyState
      icon={<ReceiptText size={22} />}
      title="No transactions of this kind"
      action={
        <Button variant="outline" onClick={() => actor.send({ type: 'kind.chosen', kind: null })}>
          Show all
        </Button>
      }
    />
  ) : (
    <EmptyState icon={<ReceiptText size={22} />} title="No transactions yet">
      Payments, credits and each day of usage are listed here.
    </EmptyState>
  );
}

/** Shown if the address asks for a page after the last. */
function PastLastPage({ actor }: { actor: TransactionsActor }) {
  const { orgUuid, ...last } = useSelector(
    actor,
    ({ context: { orgUuid: of, view, total } }) => ({
      orgUuid: of,
      ...viewShowing(pagesAround(pagingOf(view), total).last),
    }),
    shallowEqual,
  );
  return (
    <EmptyState
      icon={<ReceiptText size={22} />}
      title="This page doesn't exist"
      action={
        <Button asChild>
          <ScreenLink to={{ screen: 'transactions', orgUuid, ...last }} borderRadius="l2">
            Go to the last page
          </ScreenLink>
        </Button>
      }
    >
      There are fewer transactions than that.
    </EmptyState>
  );
}
