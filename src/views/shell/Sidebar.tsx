import { Box, Flex, Text, chakra } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { BookOpen, Braces, CodeXml, MessagesSquare, Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Membership } from '#contract/organizations.ts';
import type { Route } from '#machines/shared/route.ts';
import { showCurrent } from '../../behaviours/showCurrent.ts';
import { ORGANIZATION_ENTRIES, PROJECT_ENTRIES, offered } from '../../screens/navigation.ts';
import { ExternalLink } from '../ui/ExternalLink.tsx';
import { FailsAlone } from '../ui/FailsAlone.tsx';
import { Logo } from '../ui/Logo.tsx';
import { ScreenLink } from '../ui/ScreenLink.tsx';
import { useMembership, usePreferences, useProject, useSettings, useWorkspace } from '../ui/state.ts';
import { TOP_BAR_HEIGHT } from './measures.ts';
import { NavEntries } from './NavEntries.tsx';
import { navRow } from './navRow.ts';
import { OrganizationSwitcher } from './OrganizationSwitcher.tsx';
import { ProjectSwitcher } from './ProjectSwitcher.tsx';
import { SidebarFooter } from './SidebarFooter.tsx';

/** The console's navigation, at the side or in the drawer. */
export function Sidebar() {
  const { productName } = useSettings();
  const preferences = usePreferences();
  const membership = useMembership();
  const organization = membership?.organization;
  const home: Route = organization ? { screen: 'organization', orgUuid: organization.uuid } : { screen: 'home' };
  return (
    <Flex direction="column" h="full" bg="bg.subtle">
      <Flex align="center" flexShrink="0" h={TOP_BAR_HEIGHT} px="5">
        <ScreenLink to={home} onClick={() => preferences.send({ type: 'drawer.close.requested' })} minW="0">
          <Logo productName={productName} />
        </ScreenLink>
      </Flex>
      <Box ref={showCurrent} as="nav" aria-label="Console" flex="1" minH="0" overflowY="auto" px="3" pt="2" pb="4">
        <Section label="Organization">
          <FailsAlone>
            <OrganizationSwitcher />
          </FailsAlone>
          {membership ? (
            <NavEntries
              entries={offered(ORGANIZATION_ENTRIES, membership.role)}
              orgUuid={membership.organization.uuid}
            />
          ) : null}
        </Section>
        {membership ? <ProjectSection membership={membership} /> : null}
      </Box>
      <Resources />
      <FailsAlone>
        <SidebarFooter />
      </FailsAlone>
    </Flex>
  );
}

function ProjectSection({ membership: { organization, projects, role } }: { membership: Membership }) {
  const project = useProject();
  if (projects.length === 0) return <FirstProject />;
  return (
    <Section label="Project">
      <FailsAlone>
        <ProjectSwitcher />
      </FailsAlone>
      {/* Where the project has gone under an open screen, the others can be chosen. */}
      {project ? (
        <NavEntries entries={offered(PROJECT_ENTRIES, role)} orgUuid={organization.uuid} projectUuid={project.uuid} />
      ) : null}
    </Section>
  );
}

/** Stands in for the section while there is no project (SHL-06), for those who may create one. */
function FirstProject() {
  const workspace = useWorkspace();
  const mayCreate = useSelector(workspace, (snapshot) => snapshot.can({ type: 'project.create.requested' }));
  if (!mayCreate) return null;
  return (
    <Section label="Project">
      <chakra.button
        type="button"
        onClick={() => workspace.send({ type: 'project.create.requested' })}
        {...navRow}
        borderWidth="1px"
        borderStyle="dashed"
        minH="40px"
      >
        <Plus size={16} aria-hidden />
        Create a project
      </chakra.button>
    </Section>
  );
}

function Section({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Box as="section" aria-label={label} _notFirst={{ mt: '4' }}>
      <Text px="3" mb="1.5" fontSize="xs" fontWeight="medium" color="fg.subtle">
        {label}
      </Text>
      <FailsAlone>{children}</FailsAlone>
    </Box>
  );
}

/** What helps outside of the console, as far as there is any; in sight whatever the navigation is scrolled to (UXP-70). */
function Resources() {
  const { docs, apiReference, repository, community } = useSettings().links;
  return (
    <Box as="section" aria-label="Resources" flexShrink="0" px="3" py="1.5" borderTopWidth="1px">
      <Flex as="ul" wrap="wrap" listStyleType="none">
        <Outside href={docs} icon={<BookOpen size={14} aria-hidden />}>
          Docs
        </Outside>
        <Outside href={apiReference} icon={<Braces size={14} aria-hidden />}>
          API reference
        </Outside>
        {repository ? (
          <Outside href={repository} icon={<CodeXml size={14} aria-hidden />}>
            Source repository
          </Outside>
        ) : null}
        {community ? (
          <Outside href={community} icon={<MessagesSquare size={14} aria-hidden />}>
            Community chat
          </Outside>
        ) : null}
      </Flex>
    </Box>
  );
}

function Outside({ href, icon, children }: { href: string; icon: ReactNode; children: string }) {
  return (
    <li>
      <ExternalLink href={href} {...navRow} gap="1.5" px="2" minH="28px" fontSize="xs">
        {icon}
        {children}
      </ExternalLink>
    </li>
  );
}
