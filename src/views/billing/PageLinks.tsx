import { Button, Flex, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import type { TransactionsActor } from '#machines/workspace/billing/transactions/machine.ts';
import { pagesAround, pagingOf, viewShowing, type Paging } from '#machines/workspace/billing/transactions/paging.ts';
import { formatCount } from '../ui/figures.ts';
import { ScreenLink } from '../ui/ScreenLink.tsx';

/** Which transactions are shown, of how many, and links to the next and previous page. */
export function PageLinks({ actor }: { actor: TransactionsActor }) {
  const orgUuid = useSelector(actor, ({ context }) => context.orgUuid);
  const view = useSelector(actor, ({ context }) => context.view);
  const total = useSelector(actor, ({ context }) => context.total);
  const shown = useSelector(actor, ({ context }) => context.rows.length);
  const paging = pagingOf(view);
  const { newer, older } = pagesAround(paging, total);
  // Only usage that is not posted yet.
  if (total === 0) return null;
  return (
    <Flex as="nav" aria-label="Pages" wrap="wrap" align="center" justify="space-between" gap="3">
      <Text role="status" fontSize="sm" color="fg.muted" fontVariantNumeric="tabular-nums">
        {`${formatCount(paging.offset + 1)}–${formatCount(paging.offset + shown)} of ${formatCount(total)}`}
      </Text>
      {newer || older ? (
        <Flex gap="2">
          <PageLink orgUuid={orgUuid} to={newer}>
            <ChevronLeft size={16} aria-hidden /> Newer
          </PageLink>
          <PageLink orgUuid={orgUuid} to={older}>
            Older <ChevronRight size={16} aria-hidden />
          </PageLink>
        </Flex>
      ) : null}
    </Flex>
  );
}

/** A link to another page; a disabled button if there is none, so that nothing moves. */
const PageLink = ({ orgUuid, to, children }: { orgUuid: string; to: Paging | null; children: ReactNode }) =>
  to === null ? (
    <Button size="sm" variant="outline" aria-disabled opacity={0.5}>
      {children}
    </Button>
  ) : (
    <Button asChild size="sm" variant="outline">
      <ScreenLink to={{ screen: 'transactions', orgUuid, ...viewShowing(to) }} borderRadius="l2">
        {children}
      </ScreenLink>
    </Button>
  );
