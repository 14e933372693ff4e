import { Box, Flex, Spinner, Tabs, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { PLAYGROUND_FAILED, type PlaygroundActor } from '#machines/playground/machine.ts';
import type { PlaygroundMode } from '#machines/shared/route.ts';
import { FailureAlert } from '../ui/FailureAlert.tsx';
import { Page } from '../ui/Page.tsx';
import { RetryButton } from '../ui/RetryButton.tsx';
import { useWorkspace } from '../ui/state.ts';
import { AsyncView } from './async/AsyncView.tsx';
import { LiveView } from './live/LiveView.tsx';
import { LoggedRequest } from './LoggedRequest.tsx';
import { PlaygroundContext, usePlayground, usePlaygroundActors } from './state.ts';

/** The playground: speech-to-text of a file or live. */
export function PlaygroundPage() {
  const playground = useSelector(useWorkspace(), (snapshot) => snapshot.children.playground);
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
    <Box maxWidth="560px">
      <FailureAlert failure={{ ...failure, message: PLAYGROUND_FAILED }}>
        <RetryButton actor={playground} />
      </FailureAlert>
    </Box>
  ) : (
    <Ready playground={playground} />
  );
}

/** Provides the actors to all views below. */
function Ready({ playground }: { playground: PlaygroundActor }) {
  const actors = usePlaygroundActors(playground);
  if (!actors) return null;
  return (
    <PlaygroundContext.Provider value={actors}>
      <Modes />
    </PlaygroundContext.Provider>
  );
}

/** The two tabs (ASY-01). */
function Modes() {
  const playground = usePlayground();
  const mode: PlaygroundMode = useSelector(playground, (snapshot) =>
    snapshot.hasTag('async') ? 'async' : 'real-time',
  );
  const select = (value: string) =>
    playground.send({ type: 'mode.selected', mode: value === 'async' ? 'async' : 'real-time' });
  return (
    <Tabs.Root value={mode} onValueChange={({ value }) => select(value)} lazyMount unmountOnExit>
      <Tabs.List mb={{ base: '4', md: '6' }} aria-label="API">
        <Tabs.Trigger value="async">
          REST API <TabNote>File</TabNote>
        </Tabs.Trigger>
        <Tabs.Trigger value="real-time">
          WebSocket API <TabNote>Live</TabNote>
        </Tabs.Trigger>
      </Tabs.List>
      <LoggedRequest />
      <Tabs.Content value="async" p="0">
        <AsyncView />
      </Tabs.Content>
      <Tabs.Content value="real-time" p="0">
        <LiveView />
      </Tabs.Content>
    </Tabs.Root>
  );
}

function Loading() {
  return (
    <Flex as="output" justify="center" align="center" minHeight="320px" gap="3" color="fg.muted">
      <Spinner color="brand.fg" aria-hidden />
      <Text srOnly>Loading the playground</Text>
    </Flex>
  );
}

/** What a tab is for, next to the name of its API. */
const TabNote = ({ children }: { children: string }) => <span className="tab-note">{children}</span>;
