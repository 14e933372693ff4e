import type { SwitcherEntry } from '#machines/root/switcher/machine.ts';
import { useMembership, useMemberships, useWorkspace } from '../ui/state.ts';
import { Switcher } from './Switcher.tsx';

/** Switches between the person's organizations; choosing one opens its dashboard (SEL-03). */
export function OrganizationSwitcher() {
  const workspace = useWorkspace();
  const entries = useMemberships().map(({ organization }): SwitcherEntry => ({
    uuid: organization.uuid,
    name: organization.name,
    to: { screen: 'organization', orgUuid: organization.uuid },
  }));
  const current = useMembership()?.organization.uuid;
  return (
    <Switcher
      switcher="organization"
      label="Organizations"
      entries={entries}
      current={current}
      placeholder="No organization"
      create={{ label: 'Create organization', ask: () => workspace.send({ type: 'organization.create.requested' }) }}
    />
  );
}
