import type { EventObject } from 'xstate';
import { callbackPlaceholder } from './placeholder.ts';

/** Smallest width of a wide window, in CSS pixels at the usual size of text. */
export type ViewportInput = { wideFromPx: number };

/** {@link viewport} sends one when it starts, then one whenever the window crosses the limit. */
export type ViewportEvent = { type: 'viewport.narrowed' } | { type: 'viewport.widened' };

/** From this width the sidebar is beside the page; below, it is a drawer (SHL-01). */
export const SIDEBAR_FROM_PX = 900;

/** From this width the playground's panel is open by default (ASY-08). */
export const PANEL_FROM_PX = 1101;

const REM_PX = 16;

/** A width that grows with the browser's size of text, as the page does: large text has the layout of narrow windows. */
export const inRem = (px: number): string => `${px / REM_PX}rem`;

/** Watches the width of the window. */
export const viewport = callbackPlaceholder<EventObject, ViewportInput>('viewport');
