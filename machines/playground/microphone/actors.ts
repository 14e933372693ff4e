import type { EventObject } from 'xstate';
import type { LiveError } from '../live/errors.ts';
import { callbackPlaceholder } from '../../shared/placeholder.ts';

/** A microphone; browsers give names only to pages that were once allowed to record. */
export type Device = { id: string; label: string };

/** What `deviceList` sends: the devices once at its start, then whenever one comes or goes; and when the browser begins to let the page listen. */
export type DeviceListEvent = { type: 'devices.changed'; devices: readonly Device[] } | { type: 'permission.granted' };

/** Watches which microphones there are. Never asks for permission. */
export const deviceList = callbackPlaceholder<EventObject>('deviceList');

/** What `levelMeter` sends: how loud it is, 0 to 1, some ten times a second; or why it cannot listen. */
export type LevelMeterEvent = { type: 'level.measured'; level: number } | { type: 'meter.refused'; error: LiveError };

/** Listens to a microphone without recording; its clean-up lets it go. A null device means the browser's own choice. */
export const levelMeter = callbackPlaceholder<EventObject, { deviceId: string | null }>('levelMeter');
