import { Button, Flex, IconButton, chakra } from '@chakra-ui/react';
import { shallowEqual, useSelector } from '@xstate/react';
import { Search } from 'lucide-react';
import type { FormEvent } from 'react';
import { CLIENT_REFERENCE_MAX } from '#contract/files.ts';
import { LOG_STATUSES } from '#contract/logs.ts';
import { SERVICE_NAMES } from '#contract/usage.ts';
import { countSet, isNarrowed, LOG_PERIODS, periodOf, validView, type Facet } from '#machines/workspace/logs/filter.ts';
import type { LogsActor } from '#machines/workspace/logs/machine.ts';
import type { LogsView } from '#machines/shared/route.ts';
import { SelectField } from '../ui/SelectField.tsx';
import { Choice } from '../ui/Choice.tsx';
import { FilterBar, type FilterPlace } from '../ui/FilterBar.tsx';
import { FilterPopover } from '../ui/FilterPopover.tsx';
import { ZONE_NAMES } from '../ui/format.ts';
import { PlainInput } from '../ui/PlainInput.tsx';
import { useZone } from '../ui/state.ts';
import { RangeForm } from '../ui/usage/RangeForm.tsx';
import { fieldOf, keyName, momentOf, PERIOD_NAMES, STATUS_NAMES, timesText } from './words.ts';

/** The filters of the list; the address keeps them. */
export function LogFilters({ actor }: { actor: LogsActor }) {
  const view = useSelector(actor, ({ context }) => validView(context.view), shallowEqual);
  const shown = <ShownPeriod view={view} />;
  return (
    <FilterBar
      label="Filters"
      shown={shown}
      count={countSet(view)}
      onDone={() => applyTyped(actor)}
      onClose={() => actor.send({ type: 'filters.closed' })}
    >
      {(place) => (
        <>
          {place === 'row' ? (
            <FilterPopover label="Period" shown={shown} onClose={() => actor.send({ type: 'times.closed' })}>
              {(onChosen) => <PeriodChoices {...{ actor, view, place, onChosen }} />}
            </FilterPopover>
          ) : (
            <PeriodChoices {...{ actor, view, place }} />
          )}
          <Facets {...{ actor, view, place }} />
          <Reference {...{ actor, place }} reference={view.reference} />
          {isNarrowed(view) ? (
            <Button size="sm" variant="ghost" onClick={() => actor.send({ type: 'filters.cleared' })}>
              Clear filters
            </Button>
          ) : null}
        </>
      )}
    </FilterBar>
  );
}

/** 'Last 7 days', or the person's own times. */
function ShownPeriod({ view }: { view: LogsView }) {
  const zone = useZone();
  const period = periodOf(view);
  return <span>{period === null ? timesText(view, zone) : PERIOD_NAMES[period]}</span>;
}

type FilterProps = { actor: LogsActor; view: LogsView; place: FilterPlace };

function PeriodChoices({ onChosen, ...props }: FilterProps & { onChosen?: () => void }) {
  const { actor, view } = props;
  const period = periodOf(view);
  return (
    <Flex direction="column" gap="4">
      <Flex role="group" aria-label="Periods" gap="2" wrap="wrap">
        {LOG_PERIODS.map((candidate) => (
          <Choice
            key={candidate}
            isChosen={candidate === period}
            onChoose={() => {
              actor.send({ type: 'period.chosen', period: candidate });
              onChosen?.();
            }}
          >
            {PERIOD_NAMES[candidate]}
          </Choice>
        ))}
      </Flex>
      <CustomPeriod {...props} onChosen={onChosen} />
    </Flex>
  );
}

type Option = { code: string; name: string };

/** Keeps the chosen value among the choices, even if no request of the period has it. */
const withChosen = (choices: readonly Option[], chosen: string | undefined): readonly Option[] =>
  chosen === undefined || choices.some(({ code }) => code === chosen)
    ? choices
    : [...choices, { code: chosen, name: chosen }];

function Facets({ actor, view, place }: FilterProps) {
  const choices = useSelector(actor, ({ context }) => context.choices);
  const counted = (name: string, requests: number) => `${name} (${requests})`;
  const fields: { facet: Facet; label: string; none: string; options: readonly Option[] }[] = [
    {
      facet: 'kind',
      label: 'Kind',
      none: 'All kinds',
      options: Object.entries(SERVICE_NAMES).map(([code, name]) => ({ code, name })),
    },
    {
      facet: 'status',
      label: 'Status',
      none: 'All statuses',
      options: LOG_STATUSES.map((code) => ({ code, name: STATUS_NAMES[code] })),
    },
    {
      facet: 'model',
      label: 'Model',
      none: 'All models',
      options: (choices?.models ?? []).map(({ model, requests }) => ({ code: model, name: counted(model, requests) })),
    },
    {
      facet: 'key',
      label: 'API key',
      none: 'All keys',
      options: (choices?.keys ?? []).map((key) => ({ code: key.uuid, name: counted(keyName(key), key.requests) })),
    },
    {
      facet: 'error',
      label: 'Error',
      none: 'All errors',
      options: (choices?.errors ?? []).map(({ error_type, requests }) => ({
        code: error_type,
        name: counted(error_type, requests),
      })),
    },
  ];
  return fields.map(({ facet, label, none, options }) => (
    <SelectField
      key={facet}
      id={`${place}-${facet}`}
      label={label}
      isCompact={place === 'row'}
      value={view[facet] ?? null}
      none={none}
      choices={withChosen(options, view[facet])}
      onChange={(value) => actor.send({ type: 'facet.chosen', facet, value })}
    />
  ));
}

/** Filters by a whole client reference ID. */
function Reference({ actor, place, reference = '' }: Omit<FilterProps, 'view'> & { reference: string | undefined }) {
  const id = `${place}-reference`;
  const value = useSelector(actor, ({ context }) => context.typedReference ?? reference);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    actor.send({ type: 'facet.chosen', facet: 'reference', value: value.trim() });
  };
  return (
    <chakra.form onSubmit={submit} minW="0">
      <chakra.label
        htmlFor={id}
        {...(place === 'row'
          ? { srOnly: true }
          : { display: 'block', mb: '1.5', fontSize: 'sm', fontWeight: 'medium' })}
      >
        Client reference ID
      </chakra.label>
      <Flex gap="1">
        <PlainInput
          id={id}
          name="reference"
          bg="bg"
          dir="auto"
          flex="1"
          minW="0"
          maxLength={CLIENT_REFERENCE_MAX}
          value={value}
          onChange={({ currentTarget }) => actor.send({ type: 'reference.edited', reference: currentTarget.value })}
          {...(place === 'row' ? { size: 'sm', width: '44', placeholder: 'Client reference ID' } : {})}
        />
        <IconButton type="submit" variant="outline" aria-label="Find" size={place === 'row' ? 'sm' : 'md'}>
          <Search size={16} aria-hidden />
        </IconButton>
      </Flex>
    </chakra.form>
  );
}

/** Applies all that is typed. Returns whether nothing is wrong with it. */
export function applyTyped(actor: LogsActor): boolean {
  actor.send({ type: 'filters.submitted' });
  return actor.getSnapshot().context.problem === null;
}

/** A custom period, in the chosen time zone. */
function CustomPeriod({
  actor,
  view: { from, to },
  place,
  onChosen,
}: FilterProps & { onChosen?: (() => void) | undefined }) {
  const zone = useZone();
  const problem = useSelector(actor, ({ context }) => context.problem);
  const canApply = useSelector(
    actor,
    (snapshot) => snapshot.context.typed !== null && snapshot.can({ type: 'filters.submitted' }),
  );
  return (
    <RangeForm
      key={`${from} ${to} ${zone}`}
      place={place}
      type="datetime-local"
      first={{ name: 'from', label: `From (${ZONE_NAMES[zone]})`, shown: fieldOf(from, zone) }}
      last={{ name: 'to', label: `Before (${ZONE_NAMES[zone]})`, shown: fieldOf(to, zone) }}
      problem={problem}
      canApply={canApply}
      onEdit={(start, end) =>
        actor.send({ type: 'times.edited', from: momentOf(start, zone), to: momentOf(end, zone) })
      }
      onApply={() => {
        if (applyTyped(actor)) onChosen?.();
      }}
    />
  );
}
