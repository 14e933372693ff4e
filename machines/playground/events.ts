import type { LogDetails, LogRequest } from '#contract/logs.ts';
import type { PlaygroundMode, PlaygroundRoute } from '../shared/route.ts';
import type { PlaygroundPush } from './listSync/pushes.ts';
import type { SavingSessionNotice } from './live/savingSession/machine.ts';
import type { PanelRequested } from './sidePanel/machine.ts';
import type { BalanceRead, UseChanged } from './usageHint/machine.ts';

type PlaygroundUserEvent =
  | { type: 'mode.selected'; mode: PlaygroundMode }
  | { type: 'view.open.requested' }
  /** The person wants to see no more of the request of the logs. */
  | { type: 'request.dismissed' }
  | { type: 'retry.requested' };

/** A part of the page could not be drawn, and offers to be opened again. */
export type PartFailed = { type: 'part.failed' };

export type RouteChanged = { type: 'route.changed'; route: PlaygroundRoute };

/** From `loggedRequest`, once the request is read. */
export type RequestRead = { type: 'request.read'; details: LogDetails };

/** To the side whose kind the request of the logs is; null if its settings are not known. */
export type RequestOpened = { type: 'request.opened'; request: LogRequest | null };

export type PlaygroundEvent =
  | PlaygroundUserEvent
  | RouteChanged
  | PlaygroundPush
  | PartFailed
  | PanelRequested
  | RequestRead
  | SavingSessionNotice
  | UseChanged
  | BalanceRead;
