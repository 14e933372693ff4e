import type { EventObject } from 'xstate';
import { callbackPlaceholder } from '../placeholder.ts';

/** What `viewport` sends: once at its start, then whenever the window crosses the limit ({@link NARROW_PX}). */
export type ViewportEvent = { type: 'viewport.narrowed' } | { type: 'viewport.widened' };

/** Window width in pixels up to which the playground's panel folds by itself (spec §9). */
export const NARROW_PX = 1100;

/** Watches the width of the window. */
export const viewport = callbackPlaceholder<EventObject>('viewport');
