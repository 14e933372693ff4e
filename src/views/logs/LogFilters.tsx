import {
  Box,
  Button,
  Flex,
  type HTMLChakraProps,
  IconButton,
  type RecipeProps,
  SimpleGrid,
  Text,
  chakra,
  createRecipeContext,
} from '@chakra-ui/react';
import { shallowEqual, useSelector } from '@xstate/react';
import { Search } from 'lucide-react';
import type { FormEvent } from 'react';
import { LOG_STATUSES } from '#contract/logs.ts';
import { isNarrowed, LOG_PERIODS, periodOf, validView, type Facet } from '#machines/workspace/logs/filter.ts';
import type { LogsActor } from '#machines/workspace/logs/machine.ts';
import type { LogsView } from '#machines/shared/route.ts';
import { SelectField } from '../ui/SelectField.tsx';
import { Choice } from '../ui/Choice.tsx';
import { Disclosure } from '../ui/Disclosure.tsx';
import { Panel } from '../ui/Panel.tsx';
import { useZone } from '../ui/state.ts';
import { fieldOf, keyName, KIND_NAMES, momentOf, PERIOD_NAMES, STATUS_NAMES } from './words.ts';

const Input = createRecipeContext({ key: 'input' }).withContext<
  HTMLInputElement,
  HTMLChakraProps<'input', RecipeProps<'input'>>
>('input');

/** The filters of the list; the address keeps them. */
export function LogFilters({ actor }: { actor: LogsActor }) {
  const view = useSelector(actor, ({ context }) => validView(context.view), shallowEqual);
  const period = periodOf(view);
  return (
    <Panel as="section" aria-label="Filters" p={{ base: '4', md: '5' }}>
      <Flex wrap="wrap" align="center" justify="space-between" gap="3">
        <Flex role="group" aria-label="Periods" gap="2" wrap="wrap">
          {LOG_PERIODS.map((candidate) => (
            <Choice
              key={candidate}
              isChosen={candidate === period}
              onChoose={() => actor.send({ type: 'period.chosen', period: candidate })}
            >
              {PERIOD_NAMES[candidate]}
            </Choice>
          ))}
        </Flex>
        {isNarrowed(view) ? (
          <Button size="sm" variant="ghost" onClick={() => actor.send({ type: 'filters.cleared' })}>
            Clear filters
          </Button>
        ) : null}
      </Flex>
      <CustomPeriod actor={actor} view={view} />
      <SimpleGrid
        columns={{ base: 2, md: 3, '2xl': 6 }}
        gap="3"
        mt="4"
        css={{ '& > :nth-child(n + 5)': { gridColumn: { base: 'span 2', md: 'auto' } } }}
      >
        <Facets actor={actor} view={view} />
        <Reference actor={actor} reference={view.reference} />
      </SimpleGrid>
    </Panel>
  );
}

type Option = { code: string; name: string };

/** Keeps the chosen value among the choices, even if no request of the period has it. */
const withChosen = (choices: readonly Option[], chosen: string | undefined): readonly Option[] =>
  chosen === undefined || choices.some(({ code }) => code === chosen)
    ? choices
    : [...choices, { code: chosen, name: chosen }];

function Facets({ actor, view }: { actor: LogsActor; view: LogsView }) {
  const choices = useSelector(actor, ({ context }) => context.choices);
  const counted = (name: string, requests: number) => `${name} (${requests})`;
  const fields: { facet: Facet; label: string; options: readonly Option[] }[] = [
    {
      facet: 'kind',
      label: 'Kind',
      options: Object.entries(KIND_NAMES).map(([code, name]) => ({ code, name })),
    },
    { facet: 'status', label: 'Status', options: LOG_STATUSES.map((code) => ({ code, name: STATUS_NAMES[code] })) },
    {
      facet: 'model',
      label: 'Model',
      options: (choices?.models ?? []).map(({ model, requests }) => ({ code: model, name: counted(model, requests) })),
    },
    {
      facet: 'key',
      label: 'API key',
      options: (choices?.keys ?? []).map((key) => ({ code: key.uuid, name: counted(keyName(key), key.requests) })),
    },
    {
      facet: 'error',
      label: 'Error',
      options: (choices?.errors ?? []).map(({ error_type, requests }) => ({
        code: error_type,
        name: counted(error_type, requests),
      })),
    },
  ];
  return fields.map(({ facet, label, options }) => (
    <SelectField
      key={facet}
      id={`logs-${facet}`}
      label={label}
      value={view[facet] ?? null}
      none="All"
      choices={withChosen(options, view[facet])}
      onChange={(value) => actor.send({ type: 'facet.chosen', facet, value })}
    />
  ));
}

const text = (value: FormDataEntryValue | null): string => (typeof value === 'string' ? value.trim() : '');

/** Filters by a whole client reference ID. */
function Reference({ actor, reference }: { actor: LogsActor; reference: string | undefined }) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const value = text(new FormData(event.currentTarget).get('reference'));
    actor.send({ type: 'facet.chosen', facet: 'reference', value });
  };
  return (
    <chakra.form key={reference ?? ''} onSubmit={submit} minW="0">
      <chakra.label htmlFor="logs-reference" display="block" mb="1.5" fontSize="sm" fontWeight="medium">
        Client reference ID
      </chakra.label>
      <Flex gap="2">
        <Input id="logs-reference" name="reference" bg="bg" dir="auto" flex="1" minW="0" defaultValue={reference} />
        <IconButton type="submit" variant="outline" aria-label="Find">
          <Search size={16} aria-hidden />
        </IconButton>
      </Flex>
    </chakra.form>
  );
}

/** A custom period, in the chosen time zone. */
function CustomPeriod({ actor, view: { from, to } }: { actor: LogsActor; view: LogsView }) {
  const zone = useZone();
  const problem = useSelector(actor, ({ context }) => context.problem);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const times = new FormData(event.currentTarget);
    actor.send({
      type: 'times.submitted',
      from: momentOf(text(times.get('from')), zone),
      to: momentOf(text(times.get('to')), zone),
    });
  };
  const described = problem ? { 'aria-invalid': true, 'aria-describedby': 'logs-problem' } : {};
  return (
    // Open from the start if the address has custom times.
    <Disclosure
      mt="3"
      open={from !== undefined || to !== undefined}
      summary="Choose times"
      summaryProps={{ width: 'fit-content', fontWeight: 'medium', borderRadius: 'l1' }}
    >
      {/* The key refills the fields when the address changes. */}
      <chakra.form
        key={`${from} ${to} ${zone}`}
        onSubmit={submit}
        onInput={() => actor.send({ type: 'times.edited' })}
        noValidate
        display="flex"
        flexWrap="wrap"
        alignItems="flex-end"
        gap="3"
        mt="3"
        minW="0"
      >
        <TimeField name="from" label="From" moment={from} {...described} />
        <TimeField name="to" label="Before" moment={to} {...described} />
        <Button type="submit" variant="outline">
          Apply
        </Button>
        <Text fontSize="sm" color="fg.muted" pb={{ md: '2.5' }}>
          {zone === 'utc' ? 'Times are in UTC.' : "Times are in this device's time zone."}
        </Text>
      </chakra.form>
      {problem ? (
        <Text id="logs-problem" role="alert" mt="2" fontSize="sm" color="fg.error">
          {problem}
        </Text>
      ) : null}
    </Disclosure>
  );
}

function TimeField({ name, label, moment, ...described }: { name: string; label: string; moment: string | undefined }) {
  return (
    <Box minW="0" maxW="full">
      <chakra.label htmlFor={`logs-${name}`} display="block" mb="1.5" fontSize="sm" fontWeight="medium">
        {label}
      </chakra.label>
      <Input
        id={`logs-${name}`}
        name={name}
        type="datetime-local"
        width="56"
        maxW="full"
        bg="bg"
        defaultValue={fieldOf(moment, useZone())}
        {...described}
      />
    </Box>
  );
}
