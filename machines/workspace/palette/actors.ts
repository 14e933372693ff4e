import type { EventObject } from 'xstate';
import { callbackPlaceholder } from '../../shared/placeholder.ts';

export type ShortcutPressed = { type: 'palette.requested' } | { type: 'shortcuts.requested' };
/** Listens to the keyboard; sends {@link ShortcutPressed} to its parent, never while a person types. */
export const shortcutKeys = callbackPlaceholder<EventObject>('shortcutKeys');
