// The events of the workspace.
import type { Failure } from '../shared/failure.ts';
import type { RouteChanged } from '../shared/route.ts';
import type { PartFailed } from '../playground/events.ts';
import type { ConnectionNotice } from './connection/machine.ts';
import type { MembershipsStale } from '../shared/membershipsStale.ts';
import type { EventsNotice } from './events/machine.ts';
import type { UserSettingsNotice } from './settings/user/machine.ts';

/** Events that the machine raises for its own regions. */
type Inner =
  /** The memberships have been read again, changed or not. */
  | { type: 'memberships.read' }
  | { type: 'memberships.readFailed'; failure: Failure }
  /** `hasRoleChanged`: in the organization of the address. */
  | { type: 'memberships.changed'; hasRoleChanged: boolean };

export type WorkspaceEvent =
  | RouteChanged
  | UserSettingsNotice
  | { type: 'signOut.requested' }
  | { type: 'reload.requested' }
  | { type: 'retry.requested' }
  | { type: 'organization.chosen'; orgUuid: string }
  | { type: 'project.chosen'; projectUuid: string }
  | { type: 'organization.create.requested' }
  | { type: 'project.create.requested' }
  | { type: 'dialog.dismissed' }
  | MembershipsStale
  | PartFailed
  | EventsNotice
  | ConnectionNotice
  | Inner;

/** Events that the workspace passes to a screen unchanged. */
export type ForScreen = RouteChanged | EventsNotice | PartFailed;

export type WorkspaceNotice =
  /** A retry has loaded the workspace: the router can decide again what depends on it. */
  { type: 'workspace.recovered' };
