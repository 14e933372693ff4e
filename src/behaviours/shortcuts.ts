/** Shortcuts that work everywhere in the console, with their texts in the list of shortcuts. */
import type { ShortcutPressed } from '#machines/workspace/palette/actors.ts';

/** Keys as printed on a keyboard, and what they do. {@link MODIFIER} stands for Ctrl or Command. */
export type Described = { keys: readonly string[]; text: string };

/** Stands for the platform's modifier. */
export const MODIFIER = 'Mod';

type Shortcut = Described & {
  /** `KeyboardEvent.key`; letters in lower case. */
  key: string;
  withModifier: boolean;
  event: ShortcutPressed;
};

export const SHORTCUTS: readonly Shortcut[] = [
  {
    keys: [MODIFIER, 'K'],
    text: 'Search screens and commands',
    key: 'k',
    withModifier: true,
    event: { type: 'palette.requested' },
  },
  {
    keys: ['?'],
    text: 'Show the keyboard shortcuts',
    key: '?',
    withModifier: false,
    event: { type: 'shortcuts.requested' },
  },
];

const TYPING =
  'textarea, select, input:not([type=radio], [type=checkbox], [type=button], [type=submit], [type=range], [type=file]), [contenteditable=""], [contenteditable=true]';
/** An open dialog blocks the shortcuts. */
const OVER_THE_PAGE = '[role=dialog], [role=alertdialog]';

/** The event of a shortcut; null for other keys, in text fields, and while a dialog is open. */
export function shortcutOf(pressed: KeyboardEvent): ShortcutPressed | null {
  const { target, ctrlKey, metaKey, altKey, key } = pressed;
  if (altKey || pressed.isComposing || pressed.repeat || pressed.defaultPrevented) return null;
  if (target instanceof Element && target.closest(`${TYPING}, ${OVER_THE_PAGE}`)) return null;
  return (
    SHORTCUTS.find((shortcut) => shortcut.key === key.toLowerCase() && shortcut.withModifier === (ctrlKey || metaKey))
      ?.event ?? null
  );
}

/** A key as the platform prints it. */
export function keyCap(key: string, platform: string = navigator.platform): string {
  if (key !== MODIFIER) return key;
  return /^(Mac|iP)/.test(platform) ? '⌘' : 'Ctrl';
}
