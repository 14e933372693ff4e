// Models how a transcript is shown: originals, translations or both, and whether each stands on lines of its own.
// Owned by the reader, for both transcripts of the playground; the address has the last word.
import { assign, setup, type ActorRefFrom } from 'xstate';
import { notifyParent } from '../../../shared/notifyParent.ts';
import type { RenderOption } from '../../transcript/lines.ts';
import { withEvent } from '../../../shared/withEvent.ts';

export type DisplayContext = {
  option: RenderOption;
  /** Null until the user decides: then a target language decides (TRN-03). */
  isSplit: boolean | null;
};

/** What the parent hears after each choice of the user. */
export type DisplayNotice = { type: 'display.changed'; display: DisplayContext };

export const displayMachine = setup({
  types: {} as {
    context: DisplayContext;
    input: DisplayContext;
    events:
      | { type: 'option.selected'; option: RenderOption }
      | { type: 'split.chosen'; isSplit: boolean }
      /** The address says otherwise. */
      | { type: 'display.restored'; display: DisplayContext };
  },
  actions: {
    setOption: assign((_, { option }: { option: RenderOption }) => ({ option })),
    setSplit: assign((_, { isSplit }: { isSplit: boolean }) => ({ isSplit })),
    restore: assign((_, { display }: { display: DisplayContext }) => display),
    notifyParent: notifyParent<DisplayNotice>(),
  },
}).createMachine({
  id: 'display',
  context: ({ input }) => input,
  on: {
    'option.selected': {
      actions: [
        withEvent('setOption'),
        { type: 'notifyParent', params: ({ context }) => ({ type: 'display.changed', display: context }) },
      ],
    },
    'split.chosen': {
      actions: [
        withEvent('setSplit'),
        { type: 'notifyParent', params: ({ context }) => ({ type: 'display.changed', display: context }) },
      ],
    },
    'display.restored': { actions: withEvent('restore') },
  },
});

/** The side that is shown, and taken home: where there is nothing to choose, all of it (CON-26). */
export const sideOf = ({ option }: DisplayContext, isOffered: boolean): RenderOption =>
  isOffered ? option : 'everything';

/** 'Split into lines': what the user chose, else on while there is a target language. */
export function splitsLines({ isSplit }: DisplayContext, hasTarget: boolean): boolean {
  return isSplit ?? hasTarget;
}

export type DisplayActor = ActorRefFrom<typeof displayMachine>;
