import { Flex, SimpleGrid } from '@chakra-ui/react';
import type { Metrics, MetricsLatency } from '#contract/metrics.ts';
import { latenciesOf, measuredOf } from '#machines/workspace/metrics/figures.ts';
import type { MetricsActor } from '#machines/workspace/metrics/machine.ts';
import { LATENCY_NAMES } from '#machines/workspace/metrics/sheets.ts';
import { LazyBars, LazyLines } from '../ui/usage/LazyPlots.tsx';
import { entriesOf, Legend } from '../ui/usage/Legend.tsx';
import { isMeasured } from '../ui/usage/lines.ts';
import { Choice } from '../ui/Choice.tsx';
import { AFTER_CHART } from '../ui/usage/sizes.ts';
import { STEPS } from '../ui/usage/UsageChart.tsx';
import { ChartPanel, Unmeasured } from './ChartPanel.tsx';
import {
  audioOf,
  drawnOf,
  errorEntries,
  errorLine,
  latencyEntries,
  latencyLines,
  requestsOf,
  streamEntries,
  streamsOf,
} from './drawn.ts';
import { LATENCY_NOTES } from './words.ts';

export type ChartsProps = { actor: MetricsActor; metrics: Metrics; model: string | null; latency: MetricsLatency };

const BY_END = 'By completion time';

/** Charts of requests, audio, errors, latency and streams over the period, for all models or the chosen one. */
export function Charts(props: ChartsProps) {
  return (
    <>
      <RequestsChart {...props} />
      <Flex direction="column" gap="6" order={AFTER_CHART}>
        <SimpleGrid columns={{ base: 1, xl: 2 }} gap="6" alignItems="start">
          <AudioChart {...props} />
          <ErrorsChart {...props} />
        </SimpleGrid>
        <LatencyChart {...props} />
        <StreamsChart {...props} />
      </Flex>
    </>
  );
}

/** The properties that all charts share. */
const partsOf = (what: string, { actor, metrics, model, latency }: ChartsProps) => {
  const { drawn, firstUse } = drawnOf(metrics);
  const { buckets, period } = drawn;
  const label = `${what} by ${STEPS[period]}`;
  return {
    drawn,
    measured: measuredOf(drawn, model),
    panel: { actor, metrics, label, choice: { model, latency } },
    plot: { actor, stepStarts: buckets, period, label, firstUse, hasHint: what === 'Requests' },
  };
};

function RequestsChart(props: ChartsProps) {
  const { measured, panel, plot } = partsOf('Requests', props);
  const series = requestsOf(measured);
  return (
    <ChartPanel {...panel} name="requests" note={BY_END}>
      <LazyBars {...plot} series={series} unit="requests" />
      <Legend actor={props.actor} label="How requests ended" entries={entriesOf(series, 'requests')} />
    </ChartPanel>
  );
}

function AudioChart(props: ChartsProps) {
  const { measured, panel, plot } = partsOf('Audio', props);
  const series = audioOf(measured);
  const entries = entriesOf(series, 'audio_ms').map((entry) => ({ ...entry, name: 'Audio' }));
  return (
    <ChartPanel {...panel} name="audio" note={BY_END}>
      <LazyBars {...plot} series={series} unit="audio_ms" />
      <Legend actor={props.actor} label="Audio" entries={entries} />
    </ChartPanel>
  );
}

function ErrorsChart(props: ChartsProps) {
  const { measured, panel, plot } = partsOf('Error rate', props);
  const lines = errorLine(measured);
  return (
    <ChartPanel {...panel} name="errors" note="Share of requests that failed or were refused">
      {isMeasured(lines) ? (
        <>
          <LazyLines {...plot} lines={lines} unit="percent" />
          <Legend actor={props.actor} label="Error rate" entries={errorEntries(measured)} />
        </>
      ) : (
        <Unmeasured>No requests in this period.</Unmeasured>
      )}
    </ChartPanel>
  );
}

function LatencyChart(props: ChartsProps) {
  const { latency, actor } = props;
  const { measured, panel, plot } = partsOf(`${LATENCY_NAMES[latency]} latency`, props);
  const lines = latencyLines(measured, latency);
  const isEstimated = measured[latency]?.is_exact === false;
  return (
    <ChartPanel
      {...panel}
      name="latency"
      note={`${LATENCY_NOTES[latency]}, completed requests only.${isEstimated ? ' Percentiles are estimates.' : ''}`}
      aside={<LatencyChoice {...props} />}
    >
      {isMeasured(lines) ? (
        <>
          <LazyLines {...plot} lines={lines} unit="latency_ms" />
          <Legend actor={actor} label="Percentiles" entries={latencyEntries(measured, latency)} />
        </>
      ) : (
        <Unmeasured>Not measured in this period.</Unmeasured>
      )}
    </ChartPanel>
  );
}

function LatencyChoice({ actor, metrics, model, latency }: ChartsProps) {
  return (
    <Flex role="group" aria-label="Latency" gap="2" wrap="wrap">
      {latenciesOf(metrics, model).map((candidate) => (
        <Choice
          key={candidate}
          isChosen={candidate === latency}
          onChoose={() => actor.send({ type: 'latency.chosen', latency: candidate })}
        >
          {LATENCY_NAMES[candidate]}
        </Choice>
      ))}
    </Flex>
  );
}

function StreamsChart(props: ChartsProps) {
  const { drawn, panel, plot } = partsOf('Concurrent streams', props);
  return (
    <ChartPanel {...panel} name="streams" note="Peak live streams, all models">
      <LazyBars {...plot} series={streamsOf(drawn)} unit="streams" limit={drawn.stream_limit} />
      <Legend actor={props.actor} label="Streams" entries={streamEntries(drawn)} />
    </ChartPanel>
  );
}
