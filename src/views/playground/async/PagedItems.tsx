import { Box, Button, Skeleton, Stack, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import type { ReactNode } from 'react';
import type { PagedListActor } from '#machines/pagedList/machine.ts';
import { FailureAlert } from '../../ui/FailureAlert.tsx';

type Props<Item extends { id: string }> = {
  list: PagedListActor<Item>;
  /** Name of the list. */
  label: string;
  /** Shown when there is nothing. */
  empty: ReactNode;
  children: (item: Item) => ReactNode;
};

/** Spec §8. */
const LIST_FAILED = 'Error loading files...';

/** A list that is read page by page (LIB-01, LIB-02). */
export function PagedItems<Item extends { id: string }>({ list, label, empty, children }: Props<Item>) {
  const items = useSelector(list, (snapshot) => snapshot.context.items);
  const isLoading = useSelector(list, (snapshot) => snapshot.hasTag('loading'));
  const isEmpty = useSelector(list, (snapshot) => snapshot.hasTag('empty'));
  return (
    <Box aria-busy={isLoading}>
      {isLoading && <Placeholders />}
      {isEmpty && empty}
      {items.length > 0 && (
        <Stack as="ul" gap="1" listStyleType="none" aria-label={label}>
          {items.map((item) => children(item))}
        </Stack>
      )}
      <Failed list={list} />
      <More list={list} />
    </Box>
  );
}

function Failed<Item extends { id: string }>({ list }: { list: PagedListActor<Item> }) {
  const failure = useSelector(list, (snapshot) => (snapshot.hasTag('failed') ? snapshot.context.failure : null));
  return (
    <FailureAlert failure={failure} title={LIST_FAILED}>
      <Button size="sm" variant="outline" onClick={() => list.send({ type: 'retry.requested' })}>
        Retry
      </Button>
    </FailureAlert>
  );
}

function More<Item extends { id: string }>({ list }: { list: PagedListActor<Item> }) {
  const isLoadingMore = useSelector(list, (snapshot) => snapshot.hasTag('loadingMore'));
  const canLoadMore = useSelector(list, (snapshot) => snapshot.can({ type: 'more.requested' }));
  if (!isLoadingMore && !canLoadMore) return null;
  return (
    <Button size="sm" variant="ghost" width="full" mt="2" aria-disabled={isLoadingMore} onClick={() => list.send({ type: 'more.requested' })}>
      {isLoadingMore ? 'Loading…' : 'Load more'}
    </Button>
  );
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
