import { Box, Button, Flex, Heading, SimpleGrid, Text } from '@chakra-ui/react';
import { AudioLines, Folder, Plus } from 'lucide-react';
import type { Membership, Project } from '#contract/organizations.ts';
import { CopyableId } from '../ui/CopyableId.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { Page } from '../ui/Page.tsx';
import { Panel } from '../ui/Panel.tsx';
import { ScreenLink } from '../ui/ScreenLink.tsx';
import { useMembership, useWorkspace } from '../ui/state.ts';

/** An organization's home: its projects, and the first steps where there is none yet. */
export function DashboardPage() {
  const membership = useMembership();
  return membership ? <Dashboard membership={membership} /> : null;
}

function Dashboard({ membership: { organization, projects } }: { membership: Membership }) {
  const workspace = useWorkspace();
  const create = () => workspace.send({ type: 'project.create.requested' });
  return (
    <Page
      heading={organization.name}
      intro={<CopyableId id={organization.uuid} label="Organization UUID" />}
      actions={
        projects.length > 0 ? (
          <Button onClick={create}>
            <Plus size={16} aria-hidden />
            Create project
          </Button>
        ) : null
      }
    >
      {projects.length === 0 ? (
        <EmptyState icon={<Folder size={22} />} title="Create your first project" action={<Button onClick={create}>Create project</Button>}>
          A project keeps recordings and transcriptions together. Once you have one, its playground turns a file or your microphone into text.
        </EmptyState>
      ) : (
        <Box as="section" aria-labelledby="projects">
          <Heading as="h2" id="projects" mb="4" fontSize="lg" fontWeight="semibold">
            Projects
          </Heading>
          <SimpleGrid as="ul" listStyleType="none" gap="4" minChildWidth="min(280px, 100%)">
            {projects.map((project) => (
              <ProjectCard key={project.uuid} orgUuid={organization.uuid} project={project} />
            ))}
          </SimpleGrid>
        </Box>
      )}
    </Page>
  );
}

function ProjectCard({ orgUuid, project }: { orgUuid: string; project: Project }) {
  const place = { orgUuid, projectUuid: project.uuid };
  return (
    <Panel as="li" display="flex" flexDirection="column" gap="1" maxW="480px">
      <Text as="h3" fontWeight="semibold" overflowWrap="anywhere">
        <ScreenLink to={{ screen: 'project', ...place }} _hover={{ color: 'brand.fg' }}>
          {project.name}
        </ScreenLink>
      </Text>
      <CopyableId id={project.uuid} label={`UUID of ${project.name}`} />
      <Flex mt="auto" pt="4">
        <Button asChild size="sm" variant="outline">
          <ScreenLink to={{ screen: 'playground', ...place, mode: 'real-time' }} borderRadius="l2">
            <AudioLines size={15} aria-hidden />
            Open playground
          </ScreenLink>
        </Button>
      </Flex>
    </Panel>
  );
}
