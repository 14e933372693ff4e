import type { EventObject } from 'xstate';
import type { LiveError } from '../live/errors.ts';
import { callbackPlaceholder } from '../../shared/placeholder.ts';

/** A microphone. Browsers hide labels until the page was allowed to record. */
export type Device = { id: string; label: string };

/** Sent by `deviceList`: devices at its start and at every change; and that the browser has granted permission. */
export type DeviceListEvent = { type: 'devices.changed'; devices: readonly Device[] } | { type: 'permission.granted' };

/** Watches the list of microphones. Never asks for permission. */
export const deviceList = callbackPlaceholder<EventObject>('deviceList');

/** Sent by `levelMeter`: the level, 0 to 1, about ten times a second; or why it cannot listen. */
export type LevelMeterEvent = { type: 'level.measured'; level: number } | { type: 'meter.refused'; error: LiveError };

/** Listens to a microphone without recording, and releases it when stopped. A null device is the browser's choice. */
export const levelMeter = callbackPlaceholder<EventObject, { deviceId: string | null }>('levelMeter');
