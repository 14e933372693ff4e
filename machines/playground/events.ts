import type { PlaygroundMode, PlaygroundRoute } from '../shared/route.ts';
import type { PlaygroundPush } from './listSync/pushes.ts';
import type { SavingSessionNotice } from './live/savingSession/machine.ts';
import type { PanelRequested } from './sidePanel/machine.ts';
import type { BalanceRead, UseChanged } from './usageHint/machine.ts';

type PlaygroundUserEvent =
  | { type: 'mode.selected'; mode: PlaygroundMode }
  | { type: 'view.open.requested' }
  | { type: 'retry.requested' };

/** A part of the page could not be drawn, and offers to be opened again. */
export type PartFailed = { type: 'part.failed' };

export type RouteChanged = { type: 'route.changed'; route: PlaygroundRoute };

export type PlaygroundEvent =
  | PlaygroundUserEvent
  | RouteChanged
  | PlaygroundPush
  | PartFailed
  | PanelRequested
  | SavingSessionNotice
  | UseChanged
  | BalanceRead;
