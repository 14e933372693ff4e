import { Button, Flex, Heading } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { Activity } from 'lucide-react';
import { useId } from 'react';
import { latencyOf, modelKey } from '#machines/workspace/metrics/figures.ts';
import type { MetricsActor, MetricsSnapshot } from '#machines/workspace/metrics/machine.ts';
import { headingOf } from '../../screens/titles.ts';
import { SelectField } from '../ui/SelectField.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { Page } from '../ui/Page.tsx';
import { Panel } from '../ui/Panel.tsx';
import { ScreenLink } from '../ui/ScreenLink.tsx';
import { useMayOpen } from '../ui/rights.ts';
import { useRoute, useWorkspace } from '../ui/state.ts';
import { BadAddressNotice } from '../ui/usage/BadAddressNotice.tsx';
import { PeriodPicker } from '../ui/usage/PeriodPicker.tsx';
import { Reading } from '../ui/usage/Reading.tsx';
import { AFTER_CHART } from '../ui/usage/sizes.ts';
import { Charts, type ChartsProps } from './Charts.tsx';
import { MetricsWaiting } from './MetricsWaiting.tsx';
import { SheetTable } from './ChartPanel.tsx';
import { Tiles, tilesOf } from './Tiles.tsx';
import { modelName } from './words.ts';

/** Volume, errors and latency of a project's requests in the period of the address (PRJ-06). */
export function MetricsPage() {
  const actor = useSelector(useWorkspace(), ({ children }) => children.metrics);
  return (
    <Page heading={headingOf(useRoute())} intro="Requests, audio, errors and latency of this project.">
      {actor ? <Contents actor={actor} /> : null}
    </Page>
  );
}

function Contents({ actor }: { actor: MetricsActor }) {
  const shown = useSelector(actor, shownText);
  return (
    <Flex direction="column" gap="6">
      <BadAddressNotice actor={actor} />
      <Filters actor={actor} />
      <Reading actor={actor} waiting={<MetricsWaiting />} title="The metrics could not be loaded." shown={shown} />
      <Nothing actor={actor} />
      <Charted actor={actor} />
    </Flex>
  );
}

/** What is shown, for screen readers: 'Requests: 28'. */
function shownText(snapshot: MetricsSnapshot): string {
  const { metrics, model, latency } = snapshot.context;
  if (snapshot.hasTag('empty')) return 'Requests: 0';
  if (!metrics || !snapshot.hasTag('charted')) return '';
  return tilesOf({ metrics, model, latency: latencyOf(metrics, model, latency) })[0]?.join(': ') ?? '';
}

function Nothing({ actor }: { actor: MetricsActor }) {
  const route = useRoute();
  const mayTranscribe = useMayOpen('playground');
  const isEmpty = useSelector(actor, (snapshot) => snapshot.hasTag('empty'));
  if (!isEmpty || route.screen !== 'metrics') return null;
  const { orgUuid, projectUuid } = route;
  return (
    <EmptyState
      icon={<Activity size={22} />}
      title="No requests in this period"
      action={
        mayTranscribe ? (
          <Button asChild>
            <ScreenLink to={{ screen: 'playground', orgUuid, projectUuid, mode: 'async' }} borderRadius="l2">
              Open the playground
            </ScreenLink>
          </Button>
        ) : null
      }
    >
      Transcriptions and live sessions are measured when they end. Transcribe a recording, or choose another period.
    </EmptyState>
  );
}

function Charted({ actor }: { actor: MetricsActor }) {
  const isCharted = useSelector(actor, (snapshot) => snapshot.hasTag('charted'));
  const metrics = useSelector(actor, ({ context }) => context.metrics);
  const model = useSelector(actor, ({ context }) => context.model);
  const chosen = useSelector(actor, ({ context }) => context.latency);
  if (!metrics || !isCharted) return null;
  const shown = { actor, metrics, model, latency: latencyOf(metrics, model, chosen) };
  return (
    <>
      <Tiles {...shown} />
      <Charts {...shown} />
      <Models {...shown} />
    </>
  );
}

function Filters({ actor }: { actor: MetricsActor }) {
  const series = useSelector(actor, ({ context }) => context.metrics?.series);
  const model = useSelector(actor, ({ context }) => context.model);
  const canChoose = useSelector(actor, (snapshot) => snapshot.can({ type: 'model.chosen', model: null }));
  return (
    <PeriodPicker actor={actor} count={model === null ? 0 : 1}>
      {(place) => (
        <SelectField
          id={`${place}-model`}
          label="Model"
          isCompact={place === 'row'}
          value={model}
          isDisabled={!canChoose}
          none="All models"
          choices={(series ?? []).map((one) => ({ code: modelKey(one), name: modelName(one.service, one.model) }))}
          onChange={(code) => actor.send({ type: 'model.chosen', model: code })}
        />
      )}
    </PeriodPicker>
  );
}

/** A table with a row for each model, with the latency that the charts show. */
function Models({ actor, metrics, model, latency }: ChartsProps) {
  const headingId = useId();
  return (
    <Panel as="section" aria-labelledby={headingId} order={AFTER_CHART}>
      <Heading as="h2" id={headingId} fontSize="md" fontWeight="semibold">
        Models
      </Heading>
      <SheetTable {...{ actor, metrics }} name="models" label="Models" choice={{ model, latency }} />
    </Panel>
  );
}
