// Models how a transcript is shown: originals, translations or both, and whether on separate lines.
// Owned by the reader, for both transcripts of the playground. It follows the address.
import { assign, setup, type ActorRefFrom } from 'xstate';
import { notifyParent } from '../../../shared/notifyParent.ts';
import type { RenderOption } from '../../transcript/segments.ts';
import { withEvent } from '../../../shared/withEvent.ts';

export type DisplayContext = {
  option: RenderOption;
  /** Null until the user chooses; meanwhile lines are split if there is a target language (TRN-03). */
  isSplit: boolean | null;
};

/** The user has made a choice. */
export type DisplayNotice = { type: 'display.changed'; display: DisplayContext };

export const displayMachine = setup({
  types: {} as {
    context: DisplayContext;
    input: DisplayContext;
    events:
      | { type: 'option.selected'; option: RenderOption }
      | { type: 'split.chosen'; isSplit: boolean }
      /** The address has another display. */
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

/** The side to show and export: everything if the user has no choice (CON-26). */
export const sideOf = ({ option }: DisplayContext, isOffered: boolean): RenderOption =>
  isOffered ? option : 'everything';

/** 'Split into lines': the user's choice, else whether there is a target language. */
export function splitsLines({ isSplit }: DisplayContext, hasTarget: boolean): boolean {
  return isSplit ?? hasTarget;
}

export type DisplayActor = ActorRefFrom<typeof displayMachine>;
