import { Box, Flex, chakra } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import type { ReactNode } from 'react';
import type { AnyActorRef } from 'xstate';
import { USAGE_DAYS_MAX, type UsagePeriod } from '#contract/usage.ts';
import { countSet, type PeriodContext, type PeriodEvent } from '#machines/workspace/usage/period.ts';
import { fits, PRESETS, presetOf, type Preset } from '#machines/workspace/usage/range.ts';
import { Choice } from '../Choice.tsx';
import { FilterBar, type FilterPlace } from '../FilterBar.tsx';
import { FilterPopover } from '../FilterPopover.tsx';
import { formatDays } from '../format.ts';
import { SelectField } from '../SelectField.tsx';
import { ZoneSwitch } from '../ZoneSwitch.tsx';
import { RangeForm } from './RangeForm.tsx';

/** An actor that holds the shown period and accepts another one. */
export type PeriodActor = {
  getSnapshot: () => { context: PeriodContext; can: (event: PeriodEvent) => boolean };
  subscribe: AnyActorRef['subscribe'];
  send: (event: PeriodEvent) => void;
};

const PRESET_NAMES: Readonly<Record<Preset, string>> = {
  thisMonth: 'This month',
  lastMonth: 'Last month',
  last7Days: 'Last 7 days',
  last30Days: 'Last 30 days',
};
const STEP_NAMES: Readonly<Record<UsagePeriod, string>> = { hourly: 'Hourly', daily: 'Daily', monthly: 'Monthly' };

type Props = {
  actor: PeriodActor;
  /** Further filters beside the period, and how many of them are set. */
  children?: (place: FilterPlace) => ReactNode;
  count?: number;
};

/** Chooses the days, and the length of time steps if there is a choice. The address keeps both. */
export function PeriodPicker({ actor, children, count = 0 }: Props) {
  const own = useSelector(actor, ({ context }) => countSet(context));
  const isHourly = useSelector(actor, ({ context }) => context.range?.period === 'hourly');
  const drop = () => actor.send({ type: 'days.dropped' });
  return (
    <FilterBar
      label="Filters"
      shown={<ShownPeriod actor={actor} />}
      count={own + count}
      onDone={() => applyDays(actor)}
      onClose={drop}
    >
      {(place) => (
        <>
          {place === 'row' ? (
            <FilterPopover label="Period" shown={<ShownPeriod actor={actor} />} onClose={drop}>
              {(close) => <PeriodChoices actor={actor} place={place} onChosen={close} />}
            </FilterPopover>
          ) : (
            <PeriodChoices actor={actor} place={place} />
          )}
          <StepsChoice actor={actor} place={place} />
          <Box display="contents">{children?.(place)}</Box>
          {isHourly ? <ZoneSwitch /> : null}
        </>
      )}
    </FilterBar>
  );
}

/** 'This month Nov 1 – 24, 2026 (UTC)' */
function ShownPeriod({ actor }: { actor: PeriodActor }) {
  const range = useSelector(actor, ({ context }) => context.range);
  const today = useSelector(actor, ({ context }) => context.today);
  if (!range || !today) return null;
  const preset = presetOf(range, today);
  return (
    <>
      {preset ? <span>{`${PRESET_NAMES[preset]} `}</span> : null}
      <chakra.span color={preset ? 'fg.muted' : undefined} fontWeight="normal">
        {`${formatDays(range)} (UTC)`}
      </chakra.span>
    </>
  );
}

type ChoicesProps = { actor: PeriodActor; place: FilterPlace; onChosen?: (() => void) | undefined };

function PeriodChoices({ actor, place, onChosen }: ChoicesProps) {
  const range = useSelector(actor, ({ context }) => context.range);
  const today = useSelector(actor, ({ context }) => context.today);
  const chosen = range && today ? presetOf(range, today) : undefined;
  return (
    <Flex direction="column" gap="4">
      <Flex role="group" aria-label="Periods" gap="2" wrap="wrap">
        {PRESETS.map((preset) => (
          <Choice
            key={preset}
            isChosen={preset === chosen}
            onChoose={() => {
              actor.send({ type: 'preset.chosen', preset });
              onChosen?.();
            }}
          >
            {PRESET_NAMES[preset]}
          </Choice>
        ))}
      </Flex>
      <DaysForm {...{ actor, place, onChosen }} />
    </Flex>
  );
}

/** Applies typed days. Returns whether nothing is wrong with them. */
export function applyDays(actor: PeriodActor): boolean {
  const { typed } = actor.getSnapshot().context;
  if (typed) actor.send({ type: 'days.submitted', ...typed });
  return actor.getSnapshot().context.problem === null;
}

function DaysForm({ actor, place, onChosen }: ChoicesProps) {
  const range = useSelector(actor, ({ context }) => context.range);
  const problem = useSelector(actor, ({ context }) => context.problem);
  const canApply = useSelector(
    actor,
    (snapshot) =>
      snapshot.context.typed !== null && snapshot.can({ type: 'days.submitted', ...snapshot.context.typed }),
  );
  const [start, end] = [range?.start_date, range?.end_date];
  return (
    <RangeForm
      key={`${start} ${end}`}
      place={place}
      type="date"
      first={{ name: 'start_date', label: 'From', shown: start }}
      last={{ name: 'end_date', label: 'To', shown: end }}
      problem={problem}
      canApply={canApply}
      onEdit={(start_date, end_date) => actor.send({ type: 'days.edited', start_date, end_date })}
      onApply={() => {
        if (applyDays(actor)) onChosen?.();
      }}
    />
  );
}

/** The lengths of time steps. One that the days are too many for is greyed, with the most days that it takes. */
function StepsChoice({ actor, place }: { actor: PeriodActor; place: FilterPlace }) {
  const steps = useSelector(actor, ({ context }) => context.steps);
  const range = useSelector(actor, ({ context }) => context.range);
  if (steps.length < 2) return null;
  return (
    <SelectField
      id={`${place}-period`}
      label="Group by"
      isCompact={place === 'row'}
      value={range?.period ?? 'daily'}
      choices={steps.map((code) => {
        const isTooLong = range !== null && !fits(range, code);
        return {
          code,
          name: isTooLong ? `${STEP_NAMES[code]} (up to ${USAGE_DAYS_MAX[code]} days)` : STEP_NAMES[code],
          isDisabled: isTooLong,
        };
      })}
      onChange={(code) => {
        const period = steps.find((candidate) => candidate === code);
        if (period) actor.send({ type: 'period.chosen', period });
      }}
    />
  );
}
