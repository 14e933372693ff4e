import type { EventObject } from 'xstate';
import { callbackPlaceholder } from './placeholder.ts';

/** A width of the window from which on it counts as wide, in CSS pixels. */
export type ViewportInput = { wideFromPx: number };

/** What {@link viewport} sends: once at its start, then whenever the window crosses the limit. */
export type ViewportEvent = { type: 'viewport.narrowed' } | { type: 'viewport.widened' };

/** From this width on the sidebar stands beside the page; below it is a drawer (SHL-01). */
export const SIDEBAR_FROM_PX = 900;

/** From this width on the playground's panel is open by itself (spec §9). */
export const PANEL_FROM_PX = 1101;

/** Watches the width of the window. */
export const viewport = callbackPlaceholder<EventObject, ViewportInput>('viewport');
