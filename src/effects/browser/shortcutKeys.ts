import { fromCallback, type EventObject } from 'xstate';
import { shortcutOf } from '../../behaviours/shortcuts.ts';

type Port = Pick<Document, 'addEventListener' | 'removeEventListener'>;

/** The `shortcutKeys` actor: reports every shortcut pressed on the page. */
export const createShortcutKeys = (page: Port = document) =>
  fromCallback<EventObject, void>(({ sendBack }) => {
    const keyDown = (pressed: KeyboardEvent) => {
      const event = shortcutOf(pressed);
      if (!event) return;
      pressed.preventDefault();
      sendBack(event);
    };
    page.addEventListener('keydown', keyDown);
    return () => page.removeEventListener('keydown', keyDown);
  });
