import { useSelector } from '@xstate/react';
import type { SwitcherEntry } from '#machines/root/switcher/machine.ts';
import { inProject } from '#machines/workspace/select.ts';
import { useMembership, useProject, useRoute, useWorkspace } from '../ui/state.ts';
import { Switcher } from './Switcher.tsx';

/** Switches between projects and stays on the same kind of screen. The tooltip is the project's UUID (SHL-07). */
export function ProjectSwitcher() {
  const workspace = useWorkspace();
  const route = useRoute();
  const membership = useMembership();
  const project = useProject();
  const mayCreate = useSelector(workspace, (snapshot) => snapshot.can({ type: 'project.create.requested' }));
  const orgUuid = membership?.organization.uuid ?? '';
  const entries = (membership?.projects ?? []).map(({ uuid, name }): SwitcherEntry => ({
    uuid,
    name,
    to: inProject(route, orgUuid, uuid),
  }));
  return (
    <Switcher
      switcher="project"
      label="Projects"
      entries={entries}
      current={project?.uuid}
      placeholder="Choose a project"
      title={project?.uuid}
      {...(mayCreate
        ? { create: { label: 'Create project', ask: () => workspace.send({ type: 'project.create.requested' }) } }
        : {})}
    />
  );
}
