import {
  Box,
  Button,
  Flex,
  type HTMLChakraProps,
  type RecipeProps,
  Text,
  chakra,
  createRecipeContext,
} from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import type { FormEvent } from 'react';
import type { AnyActorRef } from 'xstate';
import type { UsagePeriod } from '#contract/usage.ts';
import type { PeriodContext, PeriodEvent } from '#machines/workspace/usage/period.ts';
import { fits, PRESETS, presetOf, type Preset } from '#machines/workspace/usage/range.ts';
import { SelectField } from '../SelectField.tsx';
import { Panel } from '../Panel.tsx';
import { Choice } from '../Choice.tsx';
import { ZoneSwitch } from '../ZoneSwitch.tsx';

/** An actor that holds the shown period and accepts another one. */
export type PeriodActor = {
  getSnapshot: () => { context: PeriodContext };
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

/** Chooses the days, and the length of time steps if there is a choice. The address keeps both. */
export function PeriodPicker({ actor }: { actor: PeriodActor }) {
  const steps = useSelector(actor, ({ context }) => context.steps);
  const range = useSelector(actor, ({ context }) => context.range);
  const today = useSelector(actor, ({ context }) => context.today);
  const problem = useSelector(actor, ({ context }) => context.problem);
  const preset = range && today ? presetOf(range, today) : undefined;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const days = new FormData(event.currentTarget);
    actor.send({
      type: 'days.submitted',
      start_date: text(days.get('start_date')),
      end_date: text(days.get('end_date')),
    });
  };
  const described = problem ? { 'aria-invalid': true, 'aria-describedby': 'usage-problem' } : {};
  return (
    <Panel as="section" aria-label="Period" p={{ base: '4', md: '5' }}>
      <Flex role="group" aria-label="Periods" gap="2" wrap="wrap">
        {PRESETS.map((candidate) => (
          <Choice
            key={candidate}
            isChosen={candidate === preset}
            onChoose={() => actor.send({ type: 'preset.chosen', preset: candidate })}
          >
            {PRESET_NAMES[candidate]}
          </Choice>
        ))}
      </Flex>
      <Flex wrap="wrap" align="flex-end" gap="4" mt="4">
        {/* The key refills the fields when the period changes. */}
        <chakra.form
          key={`${range?.start_date} ${range?.end_date}`}
          onSubmit={submit}
          onInput={() => actor.send({ type: 'days.edited' })}
          noValidate
          display="flex"
          flexWrap="wrap"
          alignItems="flex-end"
          gap="3"
          minW="0"
        >
          <DayField name="start_date" label="From" day={range?.start_date} {...described} />
          <DayField name="end_date" label="To" day={range?.end_date} {...described} />
          <Button type="submit" variant="outline">
            Apply
          </Button>
        </chakra.form>
        {steps.length > 1 ? (
          <Box minW="min(144px, 100%)">
            <SelectField
              id="usage-period"
              label="Group by"
              value={range?.period ?? 'daily'}
              choices={steps
                .filter((period) => !range || fits(range, period))
                .map((code) => ({
                  code,
                  name: STEP_NAMES[code],
                }))}
              onChange={(code) => {
                const period = steps.find((candidate) => candidate === code);
                if (period) actor.send({ type: 'period.chosen', period });
              }}
            />
          </Box>
        ) : null}
        {range?.period === 'hourly' ? (
          <ZoneSwitch />
        ) : (
          <Text fontSize="sm" color="fg.muted" pb={{ md: '2.5' }}>
            Days are in UTC.
          </Text>
        )}
      </Flex>
      {problem ? (
        <Text id="usage-problem" role="alert" mt="2" fontSize="sm" color="fg.error">
          {problem}
        </Text>
      ) : null}
    </Panel>
  );
}

const text = (value: FormDataEntryValue | null): string => (typeof value === 'string' ? value : '');

function DayField({ name, label, day, ...described }: { name: string; label: string; day: string | undefined }) {
  return (
    <Box>
      <chakra.label htmlFor={`usage-${name}`} display="block" mb="1.5" fontSize="sm" fontWeight="medium">
        {label}
      </chakra.label>
      <DateInput id={`usage-${name}`} name={name} type="date" width="40" bg="bg" defaultValue={day} {...described} />
    </Box>
  );
}
