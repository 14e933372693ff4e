import { Box, Flex, type HTMLChakraProps, type RecipeProps, Text, chakra, createRecipeContext } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import type { FormEvent, ReactNode } from 'react';
import type { AnyActorRef } from 'xstate';
import { USAGE_DAYS_MAX, type UsagePeriod } from '#contract/usage.ts';
import { countSet, type Days, type PeriodContext, type PeriodEvent } from '#machines/workspace/usage/period.ts';
import { fits, PRESETS, presetOf, type Preset } from '#machines/workspace/usage/range.ts';
import { Choice } from '../Choice.tsx';
import { FilterBar, type FilterPlace } from '../FilterBar.tsx';
import { FilterPopover } from '../FilterPopover.tsx';
import { formatDays } from '../format.ts';
import { ReachableButton } from '../ReachableButton.tsx';
import { SelectField } from '../SelectField.tsx';
import { ZoneSwitch } from '../ZoneSwitch.tsx';

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

const DateInput = createRecipeContext({ key: 'input' }).withContext<
  HTMLInputElement,
  HTMLChakraProps<'input', RecipeProps<'input'>>
>('input');

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

const daysIn = (form: HTMLFormElement): Days => {
  const days = new FormData(form);
  return { start_date: text(days.get('start_date')), end_date: text(days.get('end_date')) };
};

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
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (applyDays(actor)) onChosen?.();
  };
  const problemId = `${place}-days-problem`;
  const described = problem ? { 'aria-invalid': true, 'aria-describedby': problemId } : {};
  return (
    <Box>
      {/* The key refills the fields when the period changes. */}
      <chakra.form
        key={`${range?.start_date} ${range?.end_date}`}
        onSubmit={submit}
        onInput={({ currentTarget }) => actor.send({ type: 'days.edited', ...daysIn(currentTarget) })}
        noValidate
        display="flex"
        flexWrap="wrap"
        alignItems="flex-end"
        gap="3"
        minW="0"
      >
        <DayField place={place} name="start_date" label="From" day={range?.start_date} {...described} />
        <DayField place={place} name="end_date" label="To" day={range?.end_date} {...described} />
        <ReachableButton type="submit" variant="outline" can={canApply}>
          Apply
        </ReachableButton>
      </chakra.form>
      {problem ? (
        <Text id={problemId} role="alert" mt="2" fontSize="sm" color="fg.error">
          {problem}
        </Text>
      ) : null}
    </Box>
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

const text = (value: FormDataEntryValue | null): string => (typeof value === 'string' ? value : '');

type DayProps = { place: FilterPlace; name: string; label: string; day: string | undefined };

function DayField({ place, name, label, day, ...described }: DayProps) {
  const id = `${place}-${name}`;
  return (
    <Box>
      <chakra.label htmlFor={id} display="block" mb="1.5" fontSize="sm" fontWeight="medium">
        {label}
      </chakra.label>
      <DateInput id={id} name={name} type="date" width="40" bg="bg" defaultValue={day} {...described} />
    </Box>
  );
}
