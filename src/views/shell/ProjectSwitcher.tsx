import type { Route } from '#machines/route.ts';
import { useMembership, useProject, useRoute, useWorkspace } from '../ui/state.ts';
import { Switcher, type SwitcherEntry } from './Switcher.tsx';

/** The organization's projects; choosing one stays on the same kind of screen. The tooltip is the project's UUID (SHL-07). */
export function ProjectSwitcher() {
  const workspace = useWorkspace();
  const route = useRoute();
  const membership = useMembership();
  const project = useProject();
  const orgUuid = membership?.organization.uuid ?? '';
  const entries = (membership?.projects ?? []).map(({ uuid, name }): SwitcherEntry => ({ uuid, name, to: screenOf(route, orgUuid, uuid) }));
  return (
    <Switcher
      switcher="project"
      label="Projects"
      entries={entries}
      current={entries.find(({ uuid }) => uuid === project?.uuid)}
      placeholder="Choose a project"
      title={project?.uuid}
      createLabel="Create project"
      onCreate={() => workspace.send({ type: 'project.create.requested' })}
    />
  );
}

const screenOf = (route: Route, orgUuid: string, projectUuid: string): Route =>
  route.screen === 'apiKeys' ? { screen: 'apiKeys', orgUuid, projectUuid } : route.screen === 'playground' ? { screen: 'playground', orgUuid, projectUuid, mode: route.mode } : { screen: 'project', orgUuid, projectUuid };
