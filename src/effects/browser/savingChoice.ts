import { fromCallback } from 'xstate';
import type { ChoiceMade, ChoiceRead } from '#machines/playground/live/savingSession/actors.ts';
import { onStorageChange, type TextStorage } from './webStorage.ts';

const ALWAYS = 'always';

/** Stores whether to save every live session under `{product}_keep_sessions`, and follows other tabs (LVP-07). */
export const createSavingChoice = (
  storage: TextStorage,
  product: string,
  page: Pick<Window, 'addEventListener' | 'removeEventListener'> = window,
) =>
  fromCallback<ChoiceMade, void>(({ sendBack, receive }) => {
    const key = `${product}_keep_sessions`;
    const sendChoice = () => {
      const event: ChoiceRead = { type: 'choice.read', isAlways: storage.read(key) === ALWAYS };
      sendBack(event);
    };
    receive(({ isAlways }) => (isAlways ? storage.write(key, ALWAYS) : storage.remove(key)));
    sendChoice();
    return onStorageChange(page, key, sendChoice);
  });
