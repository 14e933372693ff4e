import { chakra } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { BookOpen, Braces, CodeXml, MessagesSquare, Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Membership } from '#contract/organizations.ts';
import type { Route } from '#machines/shared/route.ts';
import { showCurrent } from '../../behaviours/showCurrent.ts';
import { ORGANIZATION_ENTRIES, PROJECT_ENTRIES, offered } from '../../screens/navigation.ts';
import { PartBoundary } from '../ui/PartBoundary.tsx';
import { Logo } from '../ui/Logo.tsx';
import { PlainLink } from '../ui/PlainLink.tsx';
import { useMembership, usePreferences, useProject, useSettings, useWorkspace } from '../ui/state.ts';
import { NavEntries } from './NavEntries.tsx';
import { navRow } from './navRow.ts';
import { OrganizationSwitcher } from './OrganizationSwitcher.tsx';
import { ProjectSwitcher } from './ProjectSwitcher.tsx';
import { SidebarFooter } from './SidebarFooter.tsx';

/** The console's navigation, next to the page or in the drawer. */
export function Sidebar() {
  const { productName } = useSettings();
  const preferences = usePreferences();
  const membership = useMembership();
  const organization = membership?.organization;
  const home: Route = organization ? { screen: 'organization', orgUuid: organization.uuid } : { screen: 'welcome' };
  return (
    <div className="sidebar">
      <div className="sidebar-head">
        <PlainLink to={home} onClick={() => preferences.send({ type: 'drawer.close.requested' })}>
          <Logo productName={productName} />
        </PlainLink>
      </div>
      <nav ref={showCurrent} aria-label="Console">
        <Section label="Organization">
          <PartBoundary>
            <OrganizationSwitcher />
          </PartBoundary>
          {membership ? (
            <NavEntries
              entries={offered(ORGANIZATION_ENTRIES, membership.role)}
              orgUuid={membership.organization.uuid}
            />
          ) : null}
        </Section>
        {membership ? <ProjectSection membership={membership} /> : null}
      </nav>
      <Resources />
      <PartBoundary>
        <SidebarFooter />
      </PartBoundary>
    </div>
  );
}

function ProjectSection({ membership: { organization, projects, role } }: { membership: Membership }) {
  const project = useProject();
  if (projects.length === 0) return <FirstProject />;
  return (
    <Section label="Project">
      <PartBoundary>
        <ProjectSwitcher />
      </PartBoundary>
      {/* If the open project is gone, only the switcher remains. */}
      {project ? (
        <NavEntries entries={offered(PROJECT_ENTRIES, role)} orgUuid={organization.uuid} projectUuid={project.uuid} />
      ) : null}
    </Section>
  );
}

/** Replaces the section if there is no project (SHL-06), for people who may create one. */
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
    <section className="sidebar-section" aria-label={label}>
      <p>{label}</p>
      <PartBoundary>{children}</PartBoundary>
    </section>
  );
}

/** Links to documentation and community; always visible below the scrolling navigation (UXP-70). */
function Resources() {
  const { docs, apiReference, repository, community } = useSettings().links;
  return (
    <section className="sidebar-resources" aria-label="Resources">
      <ul>
        <ResourceLink href={docs} icon={<BookOpen size={14} aria-hidden />}>
          Docs
        </ResourceLink>
        <ResourceLink href={apiReference} icon={<Braces size={14} aria-hidden />}>
          API reference
        </ResourceLink>
        {repository ? (
          <ResourceLink href={repository} icon={<CodeXml size={14} aria-hidden />}>
            Source repository
          </ResourceLink>
        ) : null}
        {community ? (
          <ResourceLink href={community} icon={<MessagesSquare size={14} aria-hidden />}>
            Community chat
          </ResourceLink>
        ) : null}
      </ul>
    </section>
  );
}

function ResourceLink({ href, icon, children }: { href: string; icon: ReactNode; children: string }) {
  return (
    <li>
      <a href={href} target="_blank" rel="noreferrer">
        {icon}
        {children}
      </a>
    </li>
  );
}
