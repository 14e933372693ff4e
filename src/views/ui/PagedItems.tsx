import { Button, Skeleton, Stack, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import type { ReactNode, RefCallback } from 'react';
import { LIST_ITSELF } from '#machines/shared/pagedList/context.ts';
import type { PagedListActor } from '#machines/shared/pagedList/machine.ts';
import { focusList, focusRow } from '../../behaviours/rowFocus.ts';
import { FailureAlert } from './FailureAlert.tsx';

type Props<Item extends { id: string }> = {
  list: PagedListActor<Item>;
  /** The list's accessible name. */
  label: string;
  /** Shown if the list is empty. */
  empty: ReactNode;
  /** The error title if a page could not be loaded. */
  failed?: string;
  /** Renders a row. Attach `ref` to it: it is set for the row that gets the focus. */
  children: (item: Item, ref: RefCallback<HTMLElement> | undefined) => ReactNode;
};

/** Spec §8. */
const LIST_FAILED = 'Error loading files...';

/** A list that loads page by page (LIB-01, LIB-02). */
export function PagedItems<Item extends { id: string }>({
  list,
  label,
  empty,
  failed = LIST_FAILED,
  children,
}: Props<Item>) {
  const items = useSelector(list, (snapshot) => snapshot.context.items);
  const isLoading = useSelector(list, (snapshot) => snapshot.hasTag('loading'));
  const isEmpty = useSelector(list, (snapshot) => snapshot.hasTag('empty'));
  const focusId = useSelector(list, (snapshot) => snapshot.context.focusId);
  const takeFocus = (row: HTMLElement | null) => {
    if (!row) return;
    if (focusId === LIST_ITSELF) focusList(row);
    else focusRow(row);
    list.send({ type: 'focus.placed' });
  };
  return (
    <div
      ref={focusId === LIST_ITSELF ? takeFocus : undefined}
      className="rows"
      role="group"
      aria-label={label}
      aria-busy={isLoading}
      data-rows={label}
      tabIndex={-1}
    >
      {isLoading && <Placeholders />}
      {isEmpty && empty}
      {items.length > 0 && (
        <ul aria-label={label}>{items.map((item) => children(item, item.id === focusId ? takeFocus : undefined))}</ul>
      )}
      <Failed list={list} title={failed} />
      <More list={list} />
      <Added list={list} />
    </div>
  );
}

/** Why a page could not be loaded. */
export function Failed<Item extends { id: string }>({ list, title }: { list: PagedListActor<Item>; title: string }) {
  const failure = useSelector(list, (snapshot) => (snapshot.hasTag('failed') ? snapshot.context.failure : null));
  return <FailureAlert failure={failure} title={title} />;
}

/** One button, also while loading and after a failure, so that it keeps the focus. */
export function More<Item extends { id: string }>({ list }: { list: PagedListActor<Item> }) {
  const isLoadingMore = useSelector(list, (snapshot) => snapshot.hasTag('loadingMore'));
  const canLoadMore = useSelector(list, (snapshot) => snapshot.can({ type: 'more.requested' }));
  const canRetry = useSelector(list, (snapshot) => snapshot.can({ type: 'retry.requested' }));
  const isRetrying = useSelector(list, (snapshot) => snapshot.hasTag('loading') && snapshot.context.failure !== null);
  const isBusy = isLoadingMore || isRetrying;
  if (!isBusy && !canLoadMore && !canRetry) return null;
  return (
    <Button
      size="sm"
      variant={canRetry ? 'outline' : 'ghost'}
      width="full"
      mt="2"
      aria-disabled={isBusy}
      onClick={() => list.send({ type: canRetry ? 'retry.requested' : 'more.requested' })}
    >
      {isBusy ? 'Loading…' : canRetry ? 'Retry' : 'Load more'}
    </Button>
  );
}

/** Announces to screen readers how many items a further page added. */
export function Added<Item extends { id: string }>({ list }: { list: PagedListActor<Item> }) {
  const text = useSelector(list, ({ context: { added, items } }) =>
    added === null ? '' : `${added} more, ${items.length} in all.`,
  );
  return <output className="sr-only">{text}</output>;
}

function Placeholders() {
  return (
    <Stack gap="2" aria-hidden>
      {[0, 1, 2].map((row) => (
        <Skeleton key={row} height="12" borderRadius="l2" />
      ))}
    </Stack>
  );
}

/** The line of an empty list. */
export function EmptyLine({ children }: { children: ReactNode }) {
  return (
    <Text fontSize="sm" color="fg.muted" py="3" textAlign="center">
      {children}
    </Text>
  );
}
