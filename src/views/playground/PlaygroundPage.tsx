import { Box, Button, Flex, Spinner, Tabs, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { FLAG_STT_TAGS } from '#contract/organizations.ts';
import type { Failure } from '#machines/shared/failure.ts';
import { PLAYGROUND_FAILED, type PlaygroundActor } from '#machines/playground/machine.ts';
import { playgroundOf, workspaceOf } from '#machines/root/select.ts';
import type { PlaygroundMode } from '#machines/shared/route.ts';
import { useRoot } from '../../actors.ts';
import { FailureAlert } from '../ui/FailureAlert.tsx';
import { Page } from '../ui/Page.tsx';
import { AsyncView } from './async/AsyncView.tsx';
import { LiveView } from './live/LiveView.tsx';

/** Speech-to-text over a file or live, on all of the playground's addresses. */
export function PlaygroundPage() {
  const workspace = useSelector(useRoot(), workspaceOf);
  const playground = useSelector(workspace, (snapshot) => snapshot && playgroundOf(snapshot));
  return (
    <Page heading="Speech-to-Text" wide>
      {playground ? <Playground playground={playground} /> : <Loading />}
    </Page>
  );
}

function Playground({ playground }: { playground: PlaygroundActor }) {
  const isLoading = useSelector(playground, (snapshot) => snapshot.hasTag('loading'));
  const hasFailed = useSelector(playground, (snapshot) => snapshot.hasTag('failed'));
  const failure = useSelector(playground, (snapshot) => snapshot.context.failure);
  if (isLoading) return <Loading />;
  return hasFailed ? (
    <Failed failure={failure} onRetry={() => playground.send({ type: 'retry.requested' })} />
  ) : (
    <Modes playground={playground} />
  );
}

/** The two tabs (ASY-01). */
function Modes({ playground }: { playground: PlaygroundActor }) {
  const mode: PlaygroundMode = useSelector(playground, (snapshot) =>
    snapshot.hasTag('async') ? 'async' : 'real-time',
  );
  const select = (value: string) =>
    playground.send({ type: 'mode.selected', mode: value === 'async' ? 'async' : 'real-time' });
  return (
    <Tabs.Root value={mode} onValueChange={({ value }) => select(value)} lazyMount unmountOnExit>
      <Tabs.List mb={{ base: '4', md: '6' }}>
        <Tabs.Trigger value="async">REST API</Tabs.Trigger>
        <Tabs.Trigger value="real-time">WebSocket API</Tabs.Trigger>
      </Tabs.List>
      <Tabs.Content value="async" p="0">
        <Async playground={playground} />
      </Tabs.Content>
      <Tabs.Content value="real-time" p="0">
        <RealTime playground={playground} />
      </Tabs.Content>
    </Tabs.Root>
  );
}

function Async({ playground }: { playground: PlaygroundActor }) {
  const { sidePanel, display, exporter, search, selection, withTags, links } = useShared(playground);
  if (!sidePanel || !display || !exporter || !search || !selection) return null;
  return (
    <AsyncView
      playground={playground}
      sidePanel={sidePanel}
      display={display}
      exporter={exporter}
      search={search}
      selection={selection}
      withTags={withTags}
      apiReference={links.apiReference}
    />
  );
}

function RealTime({ playground }: { playground: PlaygroundActor }) {
  const { sidePanel, display, exporter, search, selection, withTags, links } = useShared(playground);
  const live = useSelector(playground, (snapshot) => snapshot.children.live);
  const codePanel = useSelector(playground, (snapshot) => snapshot.children.codePanel);
  const addresses = useSelector(playground, ({ context }) => context.addresses);
  const isSupported = useSelector(playground, ({ context }) => context.isLiveSupported);
  if (!live || !sidePanel || !display || !exporter || !codePanel || !search || !selection) return null;
  return (
    <LiveView
      live={live}
      sidePanel={sidePanel}
      display={display}
      exporter={exporter}
      codePanel={codePanel}
      search={search}
      selection={selection}
      addresses={addresses}
      isSupported={isSupported}
      withTags={withTags}
      links={links}
    />
  );
}

function useShared(playground: PlaygroundActor) {
  return {
    links: useSelector(useRoot(), ({ context }) => context.settings.links),
    sidePanel: useSelector(playground, (snapshot) => snapshot.children.sidePanel),
    display: useSelector(playground, (snapshot) => snapshot.children.display),
    exporter: useSelector(playground, (snapshot) => snapshot.children.exporter),
    search: useSelector(playground, (snapshot) => snapshot.children.search),
    selection: useSelector(playground, (snapshot) => snapshot.children.selection),
    withTags: useSelector(playground, ({ context }) => context.featureFlags.includes(FLAG_STT_TAGS)),
  };
}

function Loading() {
  return (
    <Flex as="output" justify="center" align="center" minHeight="320px" gap="3" color="fg.muted">
      <Spinner color="brand.fg" aria-hidden />
      <Text srOnly>Loading the playground</Text>
    </Flex>
  );
}

function Failed({ failure, onRetry }: { failure: Failure | null; onRetry: () => void }) {
  return (
    <Box maxWidth="560px">
      <FailureAlert failure={{ ...failure, message: PLAYGROUND_FAILED }}>
        <Button size="sm" variant="outline" onClick={onRetry}>
          Retry
        </Button>
      </FailureAlert>
    </Box>
  );
}
