import { Button, SimpleGrid, Text } from '@chakra-ui/react';
import { AudioLines, FileAudio } from 'lucide-react';
import type { ReactNode } from 'react';
import type { PlaygroundMode } from '#machines/shared/route.ts';
import { opens } from '#machines/workspace/access.ts';
import { CopyableId } from '../ui/CopyableId.tsx';
import { Page } from '../ui/Page.tsx';
import { Panel } from '../ui/Panel.tsx';
import { ScreenLink } from '../ui/ScreenLink.tsx';
import { useMembership, useProject } from '../ui/state.ts';

/** A project's home: what it is, and the ways into its playground where the role has any (ORG-08). */
export function ProjectPage() {
  const membership = useMembership();
  const project = useProject();
  if (!membership || !project) return null;
  const place = { orgUuid: membership.organization.uuid, projectUuid: project.uuid };
  return (
    <Page heading={project.name} intro={<CopyableId id={project.uuid} label="Project UUID" />}>
      {opens(membership.role, 'playground') ? (
        <Ways {...place} />
      ) : (
        <Text color="fg.muted">Your role sees what this project uses, and does not work in it.</Text>
      )}
    </Page>
  );
}

function Ways(place: { orgUuid: string; projectUuid: string }) {
  return (
    <SimpleGrid as="ul" listStyleType="none" columns={{ base: 1, md: 2 }} gap="4">
      <Way
        {...place}
        mode="real-time"
        icon={<AudioLines size={20} />}
        title="Transcribe live"
        action="Open live playground"
      >
        Speak into the microphone or play a file, and read along as the words arrive.
      </Way>
      <Way
        {...place}
        mode="async"
        icon={<FileAudio size={20} />}
        title="Transcribe a file"
        action="Open file playground"
      >
        Upload a recording and get its transcript, with speakers and times.
      </Way>
    </SimpleGrid>
  );
}

type WayProps = {
  orgUuid: string;
  projectUuid: string;
  mode: PlaygroundMode;
  icon: ReactNode;
  title: string;
  action: string;
  children: string;
};

function Way({ orgUuid, projectUuid, mode, icon, title, action, children }: WayProps) {
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
