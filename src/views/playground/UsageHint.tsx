import { Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { type UsageHint as Shown, worthKnowing } from '#machines/playground/usageHint/select.ts';
import type { PlaygroundMode } from '#machines/shared/route.ts';
import { AddFunds } from '../ui/billing/AddFunds.tsx';
import { reservedText, usedText, WORDS } from '../ui/limits/words.ts';
import { TextLink } from '../ui/TextLink.tsx';
import { useHasPrices } from '../ui/state.ts';
import { useUsageHint, usePlayground } from './state.ts';

/** The id of the note on an empty balance: it says why a button does not work. */
export const USAGE_HINT_ID = 'balance-hint';

type Props = {
  mode: PlaygroundMode;
  /** Whether a refusal beside it tells of the empty balance. */
  isTold: boolean;
};

/** The limits that a start counts against, if worth knowing (EST-04), and a note if the balance is empty (EST-06). */
export function UsageHint({ mode, isTold }: Props) {
  const limits = useSelector(useUsageHint(), ({ context }) => context.limits);
  const isExhausted = useSelector(useUsageHint(), ({ context }) => context.isExhausted);
  const hasPrices = useHasPrices();
  const shown = worthKnowing(limits, mode).filter(({ name }) => hasPrices || name !== 'budget_micros');
  return (
    // The live region exists before its text, so that screen readers announce the text.
    <output className="usage-hint" aria-label="Limits">
      {isExhausted && !isTold ? (
        <Text id={USAGE_HINT_ID} color="orange.fg">
          The balance of this organization is empty. New requests are refused. <AddFunds />
        </Text>
      ) : null}
      {shown.map((limit) => (
        <Line key={limit.name} limit={limit} />
      ))}
    </output>
  );
}

function Line({ limit }: { limit: Shown }) {
  const { orgUuid, projectUuid } = usePlayground().getSnapshot().context;
  return (
    <Text color={limit.is_reached ? 'orange.fg' : 'fg.muted'} overflowWrap="anywhere">
      <span>{`${usedText(limit)}${reservedText(limit)}${limit.isOfAll ? ', all projects together' : ''}.`}</span>{' '}
      {limit.is_reached ? (
        <>
          <span>{WORDS[limit.name].refused}</span>{' '}
          <TextLink to={{ screen: 'projectLimits', orgUuid, projectUuid }} color="inherit">
            See the limits
          </TextLink>
        </>
      ) : null}
    </Text>
  );
}
