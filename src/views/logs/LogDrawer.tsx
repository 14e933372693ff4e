import { Box, Button, Flex, Text, chakra } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import type { LogDetails, LogEntry, LogSettings } from '#contract/logs.ts';
import { SERVICE_NAMES } from '#contract/usage.ts';
import type { LogDetailsActor } from '#machines/workspace/logs/details/machine.ts';
import type { LogsActor } from '#machines/workspace/logs/machine.ts';
import { formatAudio, formatCost, formatCount, formatLatency, formatMs } from '../ui/figures.ts';
import { formatDay, formatMoment } from '../ui/format.ts';
import { None } from '../ui/CardTable.tsx';
import { CopyableId } from '../ui/CopyableId.tsx';
import { type Fact, FactList, Part } from '../ui/Facts.tsx';
import { ErrorLink } from '../ui/ErrorLink.tsx';
import { FailureAlert } from '../ui/FailureAlert.tsx';
import { RetryButton } from '../ui/RetryButton.tsx';
import { ScreenLink } from '../ui/ScreenLink.tsx';
import { SideDrawer } from '../ui/SideDrawer.tsx';
import { useMayOpen } from '../ui/rights.ts';
import { useRoute, useZone } from '../ui/state.ts';
import { Waiting } from '../ui/Waiting.tsx';
import { StatusBadge } from './LogTable.tsx';
import { callerOf, durationOf, isUnused, modelOf, referenceOf, settingsInWords, spansOf, type Span } from './words.ts';

/** All details of the request that the address names. */
export function LogDrawer({ actor }: { actor: LogsActor }) {
  const isOpen = useSelector(actor, (snapshot) => snapshot.hasTag('opened'));
  const details = useSelector(actor, ({ children }) => children.details);
  return (
    <SideDrawer title="Request" open={isOpen} onClose={() => actor.send({ type: 'log.closed' })}>
      {details ? <Request actor={details} /> : null}
    </SideDrawer>
  );
}

function Request({ actor }: { actor: LogDetailsActor }) {
  const entry = useSelector(actor, ({ context }) => context.entry);
  const details = useSelector(actor, ({ context }) => context.details);
  const failure = useSelector(actor, (snapshot) => (snapshot.hasTag('failed') ? snapshot.context.failure : null));
  const isLoading = useSelector(actor, (snapshot) => snapshot.hasTag('loading'));
  const isMissing = useSelector(actor, (snapshot) => snapshot.hasTag('missing'));
  if (isMissing) return <Text>This project has no such request.</Text>;
  return (
    <Flex direction="column" gap="6">
      {entry ? <Problem entry={entry} details={details} /> : null}
      {entry ? <Facts entry={entry} details={details} /> : null}
      {entry ? <Timing spans={spansOf(entry)} /> : null}
      {isLoading ? <Waiting height={entry ? '96px' : '360px'} label="Loading the request" /> : null}
      <FailureAlert failure={failure} title="The request could not be loaded.">
        <RetryButton actor={actor} />
      </FailureAlert>
      {details && (details.status !== 'refused' || details.request !== null) ? <Settings details={details} /> : null}
      {details ? <ToPlayground details={details} /> : null}
    </Flex>
  );
}

/** The message of a failed transcription is deleted with it; that of a live session that had begun is not kept. */
const WITHOUT_MESSAGE = 'The message of this error was not kept.';

/** 'model_not_available (400)' */
const titleOf = ({ error_type, refusal }: LogEntry): string =>
  refusal === null ? (error_type ?? '') : `${error_type ?? ''} (${refusal.code})`;

/** The message; empty until it is read. */
const messageOf = (entry: LogEntry, details: LogDetails | null): string =>
  entry.refusal?.message ?? (details ? (details.error_message ?? WITHOUT_MESSAGE) : '');

const Problem = ({ entry, details }: { entry: LogEntry; details: LogDetails | null }) =>
  entry.error_type === null ? null : (
    <FailureAlert failure={{ message: messageOf(entry, details) }} title={titleOf(entry)}>
      <ErrorLink type={entry.error_type} />
    </FailureAlert>
  );

function Facts({ entry, details }: { entry: LogEntry; details: LogDetails | null }) {
  const zone = useZone();
  const duration = durationOf(entry);
  const reference = referenceOf(entry);
  const facts: Fact[] = [
    ['Status', <StatusBadge key="status" status={entry.status} />],
    ['Request ID', <CopyableId key="id" id={entry.request_id} label="request ID" />],
    ['Started', formatMoment(entry.started_at, zone)],
    ['Ended', formatMoment(entry.ended_at, zone)],
    ...(entry.refusal && entry.refusal.requests > 1
      ? [['Refusals counted', formatCount(entry.refusal.requests)] as const]
      : []),
    ['Kind', SERVICE_NAMES[entry.kind]],
    ['Model', <bdi key="model">{modelOf(entry) ?? 'Not known'}</bdi>],
    [entry.key ? 'API key' : 'Person', <bdi key="caller">{callerOf(entry)}</bdi>],
    ...(reference === null ? [] : [['Client reference ID', <bdi key="reference">{reference}</bdi>] as const]),
    ...(duration === null ? [] : [['Duration', formatLatency(duration)] as const]),
    ['Audio', isUnused(entry) ? <None key="audio" /> : formatAudio(entry.audio_ms)],
    ['Cost', isUnused(entry) ? <None key="cost" /> : formatCost(entry.cost_micros)],
    ...(details && details.billing_day !== null
      ? [
          ['Tokens', formatCount(details.output_tokens)] as const,
          ['Billed on', formatDay(details.billing_day, 'utc')] as const,
        ]
      : []),
  ];
  return <FactList label="Request" facts={facts} />;
}

const COLOURS = ['chart.blue', 'chart.teal', 'chart.amber', 'chart.violet'] as const;
const MIN_WIDTH = '3px';

/** A bar with a segment for each span, as long as its duration, above a list of names and durations. */
function Timing({ spans }: { spans: readonly Span[] }) {
  if (spans.length === 0) return null;
  return (
    <Part title="Times">
      <Flex height="2.5" gap="1px" borderRadius="full" overflow="hidden" aria-hidden data-testid="times">
        {spans.map(({ name, ms }, index) => (
          <Box key={name} bg={COLOURS[index] ?? 'fg.muted'} minW={MIN_WIDTH} style={{ flexGrow: ms }} />
        ))}
      </Flex>
      <Box as="ul" listStyleType="none" mt="2" fontSize="sm">
        {spans.map(({ name, ms }, index) => (
          <Flex as="li" key={name} align="center" gap="2">
            <Box boxSize="3" borderRadius="2px" flexShrink="0" aria-hidden bg={COLOURS[index] ?? 'fg.muted'} />
            <span>{name}</span>{' '}
            <chakra.span fontWeight="medium" fontVariantNumeric="tabular-nums">
              {formatMs(ms)}
            </chakra.span>
          </Flex>
        ))}
      </Box>
    </Part>
  );
}

/** A request's settings are deleted with its transcription; a live session has one only if it was saved. */
const WITHOUT_SETTINGS: Readonly<Record<LogEntry['kind'], string>> = {
  async: 'Settings are no longer available for this request.',
  real_time: 'Settings are available only while the live session is saved as a transcription.',
};

function Settings({ details: { kind, settings, request } }: { details: LogDetails }) {
  const mayOpen = useMayOpen('playground');
  const shown = settings ?? request;
  return (
    <Part title="Settings">
      {shown === null ? (
        <Text fontSize="sm" color="fg.muted">
          {mayOpen ? WITHOUT_SETTINGS[kind] : 'Settings are shown only to people who can use the playground.'}
        </Text>
      ) : (
        <FactList
          label="Settings"
          facts={[
            ...(settings ? [['File', <bdi key="file">{settings.filename}</bdi>] as const] : []),
            ...settingsInWords(shown),
          ]}
        />
      )}
      {settings?.context ? <ContextText context={settings.context} /> : null}
    </Part>
  );
}

const ContextText = ({ context }: { context: NonNullable<LogSettings['context']> }) => (
  <chakra.pre
    className="notranslate"
    mt="2"
    p="3"
    maxH="240px"
    overflow="auto"
    tabIndex={0}
    role="region"
    aria-label="Context"
    focusRing="inside"
    borderWidth="1px"
    borderRadius="l2"
    fontFamily="mono"
    fontSize="xs"
    whiteSpace="pre-wrap"
    overflowWrap="anywhere"
    dir="auto"
  >
    {typeof context === 'string' ? context : JSON.stringify(context, null, 2)}
  </chakra.pre>
);

/** Leads to the transcription, or to where a refused or failed request can be tried again. */
function ToPlayground({ details }: { details: LogDetails }) {
  const route = useRoute();
  const mayOpen = useMayOpen('playground');
  const { id, transcription_id: transcriptionId, kind, error_type, request } = details;
  if (route.screen !== 'logs' || !mayOpen || (transcriptionId === null && error_type === null)) return null;
  const { orgUuid, projectUuid } = route;
  const playground = { screen: 'playground', orgUuid, projectUuid } as const;
  const to =
    transcriptionId === null
      ? ({
          ...playground,
          mode: kind === 'async' ? 'async' : 'real-time',
          log: id,
          ...(request?.file_id ? { fileId: request.file_id } : {}),
        } as const)
      : ({ ...playground, mode: 'async', transcriptionId } as const);
  return (
    <Box>
      <Button asChild variant="outline">
        <ScreenLink to={to} borderRadius="l2">
          Open in the playground
        </ScreenLink>
      </Button>
    </Box>
  );
}
