import { Button, Flex, SimpleGrid, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { AudioLines, FileAudio } from 'lucide-react';
import type { ReactNode } from 'react';
import type { PlaygroundMode } from '#machines/shared/route.ts';
import type { ProjectHomeActor } from '#machines/workspace/projectHome/machine.ts';
import { MonthFigures } from '../ui/usage/MonthFigures.tsx';
import { CopyableId } from '../ui/CopyableId.tsx';
import { FailureAlert } from '../ui/FailureAlert.tsx';
import { RetryButton } from '../ui/RetryButton.tsx';
import { Page } from '../ui/Page.tsx';
import { Panel } from '../ui/Panel.tsx';
import { ScreenLink } from '../ui/ScreenLink.tsx';
import { useMayOpen } from '../ui/rights.ts';
import { useMembership, useProject, useWorkspace } from '../ui/state.ts';
import { Waiting } from '../ui/Waiting.tsx';
import { FirstSteps } from './FirstSteps.tsx';
import { RecentTranscriptions } from './RecentTranscriptions.tsx';

type Place = { orgUuid: string; projectUuid: string };

/** A project's home: first steps and links to the playground, if the role may (ORG-08); recent activity (ONB-20). */
export function ProjectPage() {
  const membership = useMembership();
  const project = useProject();
  const isBuilder = useMayOpen('playground');
  const home = useSelector(useWorkspace(), (snapshot) => snapshot.children.project);
  // Show everything at once: the first steps would push down what loads earlier.
  const isOpening = useSelector(home, (snapshot) => snapshot?.hasTag('loading') && snapshot.context.failure === null);
  if (!membership || !project) return null;
  const place = { orgUuid: membership.organization.uuid, projectUuid: project.uuid };
  return (
    <Page heading={project.name} intro={<CopyableId id={project.uuid} label="Project UUID" />}>
      {isOpening || !home ? (
        <Waiting height="416px" label="Loading this project's activity" />
      ) : (
        <Flex direction="column" gap="8">
          {isBuilder ? (
            <>
              <FirstSteps home={home} place={place} />
              <PlaygroundCards {...place} />
            </>
          ) : (
            <Text color="fg.muted">Your role can view this project's usage but can't work in it.</Text>
          )}
          <RecentActivity home={home} place={place} />
        </Flex>
      )}
    </Page>
  );
}

function RecentActivity({ home: actor, place }: { home: ProjectHomeActor; place: Place }) {
  const home = useSelector(actor, ({ context }) => context.home);
  const hasFailed = useSelector(actor, (snapshot) => snapshot.hasTag('failed'));
  const isOutdated = useSelector(actor, (snapshot) => snapshot.hasTag('outdated'));
  if (hasFailed) return <ActivityFailure actor={actor} title="This project's activity could not be loaded." />;
  if (!home) return <Waiting height="320px" label="Loading this project's activity" />;
  return (
    <>
      {isOutdated ? (
        <ActivityFailure actor={actor} title="This project's activity has changed and could not be loaded again." />
      ) : null}
      {home.recent ? <RecentTranscriptions recent={home.recent} place={place} /> : null}
      <MonthFigures start={home.period.start} totals={home.totals} />
    </>
  );
}

function ActivityFailure({ actor, title }: { actor: ProjectHomeActor; title: string }) {
  const failure = useSelector(actor, ({ context }) => context.failure);
  return (
    <FailureAlert failure={failure} title={title}>
      <RetryButton actor={actor} />
    </FailureAlert>
  );
}

function PlaygroundCards(place: Place) {
  return (
    <SimpleGrid as="ul" listStyleType="none" columns={{ base: 1, md: 2 }} gap="4">
      <PlaygroundCard
        {...place}
        mode="real-time"
        icon={<AudioLines size={20} />}
        title="Transcribe live"
        action="Open live playground"
      >
        Speak into the microphone or play a file, and read along as the words arrive.
      </PlaygroundCard>
      <PlaygroundCard
        {...place}
        mode="async"
        icon={<FileAudio size={20} />}
        title="Transcribe a file"
        action="Open file playground"
      >
        Upload a recording and get its transcript, with speakers and times.
      </PlaygroundCard>
    </SimpleGrid>
  );
}

type CardProps = {
  orgUuid: string;
  projectUuid: string;
  mode: PlaygroundMode;
  icon: ReactNode;
  title: string;
  action: string;
  children: string;
};

function PlaygroundCard({ orgUuid, projectUuid, mode, icon, title, action, children }: CardProps) {
  return (
    <Panel as="li" display="flex" flexDirection="column" alignItems="flex-start" gap="2">
      <Text as="span" color="brand.fg" aria-hidden>
        {icon}
      </Text>
      <Text as="h2" fontWeight="semibold">
        {title}
      </Text>
      <Text color="fg.muted" fontSize="sm">
        {children}
      </Text>
      <Button asChild mt="3" size="sm" variant="outline">
        <ScreenLink to={{ screen: 'playground', orgUuid, projectUuid, mode }} borderRadius="l2">
          {action}
        </ScreenLink>
      </Button>
    </Panel>
  );
}
