import { Box, Button, Flex, Heading, SimpleGrid, Text } from '@chakra-ui/react';
import { AudioLines } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Dashboard } from '#contract/dashboard.ts';
import type { Membership, Project, ProjectDetails } from '#contract/organizations.ts';
import { Age } from '../ui/Age.tsx';
import { CopyableId } from '../ui/CopyableId.tsx';
import { Panel } from '../ui/Panel.tsx';
import { useMayOpen } from '../ui/rights.ts';
import { ScreenLink } from '../ui/ScreenLink.tsx';
import { formatAudio, formatCost, formatCount } from '../ui/figures.ts';

type Usage = Dashboard['projects'][number];

type Props = { membership: Membership; figures: Dashboard | null; details: readonly ProjectDetails[] };

/** The projects; once loaded, also their descriptions and usage, and deleted projects used this month (DAT-07). */
export function ProjectCards({ membership: { organization, projects }, figures, details }: Props) {
  const hasPlayground = useMayOpen('playground');
  return (
    <Box as="section" aria-labelledby="projects">
      <Heading as="h2" id="projects" mb="4" fontSize="lg" fontWeight="semibold">
        Projects
      </Heading>
      <SimpleGrid as="ul" listStyleType="none" gap="4" minChildWidth="min(280px, 100%)">
        {projects.map((project) => (
          <ProjectCard
            key={project.uuid}
            orgUuid={organization.uuid}
            project={project}
            description={details.find(({ uuid }) => uuid === project.uuid)?.description}
            usage={figures?.projects.find(({ uuid }) => uuid === project.uuid)}
            hasPlayground={hasPlayground}
          />
        ))}
        {figures?.deleted_projects.map((usage) => (
          <Panel key={usage.uuid} as="li" display="flex" flexDirection="column" gap="1">
            <Text as="h3" fontWeight="semibold" overflowWrap="anywhere" color="fg.muted">
              <bdi>{usage.name}</bdi> (deleted)
            </Text>
            <UsageLines usage={usage} />
          </Panel>
        ))}
      </SimpleGrid>
    </Box>
  );
}

type CardProps = {
  orgUuid: string;
  project: Project;
  description: string | undefined;
  usage: Usage | undefined;
  hasPlayground: boolean;
};

function ProjectCard({ orgUuid, project, description, usage, hasPlayground }: CardProps) {
  const place = { orgUuid, projectUuid: project.uuid };
  return (
    <Panel as="li" display="flex" flexDirection="column" gap="1">
      <Text as="h3" fontWeight="semibold" overflowWrap="anywhere">
        <ScreenLink to={{ screen: 'project', ...place }} _hover={{ color: 'brand.fg' }}>
          <bdi>{project.name}</bdi>
        </ScreenLink>
      </Text>
      <CopyableId id={project.uuid} label={`UUID of ${project.name}`} />
      {description ? (
        <Text dir="auto" mt="1" fontSize="sm" color="fg.muted" lineClamp="3" overflowWrap="anywhere">
          {description}
        </Text>
      ) : null}
      {usage ? <UsageLines usage={usage} /> : null}
      {hasPlayground ? (
        <Flex mt="auto" pt="4">
          <Button asChild size="sm" variant="outline">
            <ScreenLink to={{ screen: 'playground', ...place, mode: 'real-time' }} borderRadius="l2">
              <AudioLines size={15} aria-hidden />
              Open playground
            </ScreenLink>
          </Button>
        </Flex>
      ) : null}
    </Panel>
  );
}

function UsageLines({ usage }: { usage: Usage }) {
  return (
    <Box as="dl" mt="3" fontSize="sm">
      <Line name="Requests this month">{formatCount(usage.requests)}</Line>
      <Line name="Audio this month">{formatAudio(usage.audio_ms)}</Line>
      <Line name="Cost this month">{formatCost(usage.cost_micros)}</Line>
      <Line name="Last used">{usage.last_used_at === null ? 'Never' : <Age at={usage.last_used_at} />}</Line>
    </Box>
  );
}

function Line({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Flex justify="space-between" gap="3" py="1" borderBottomWidth="1px" _last={{ borderBottomWidth: 0 }}>
      <Text as="dt" color="fg.muted">
        {name}
      </Text>
      <Text as="dd" fontVariantNumeric="tabular-nums" textAlign="end">
        {children}
      </Text>
    </Flex>
  );
}
