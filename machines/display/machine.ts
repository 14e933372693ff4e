// Models how a transcript is shown: originals, translations or both, and whether each stands on lines of its own.
// Owned by the playground, for both of its transcripts.
import { assign, setup, type ActorRefFrom } from 'xstate';
import type { RenderOption } from '../transcript/lines.ts';

export type DisplayContext = {
  option: RenderOption;
  /** Null until the user decides: then a target language decides (TRN-03). */
  isSplit: boolean | null;
};

export const displayMachine = setup({
  types: {} as {
    context: DisplayContext;
    events: { type: 'option.selected'; option: RenderOption } | { type: 'split.chosen'; isSplit: boolean };
  },
  actions: {
    keepOption: assign((_, { option }: { option: RenderOption }) => ({ option })),
    keepSplit: assign((_, { isSplit }: { isSplit: boolean }) => ({ isSplit })),
  },
}).createMachine({
  id: 'display',
  context: { option: 'everything', isSplit: null },
  on: {
    'option.selected': { actions: { type: 'keepOption', params: ({ event }) => event } },
    'split.chosen': { actions: { type: 'keepSplit', params: ({ event }) => event } },
  },
});

/** 'Split into lines': what the user chose, else on while there is a target language. */
export function splitsLines({ isSplit }: DisplayContext, hasTarget: boolean): boolean {
  return isSplit ?? hasTarget;
}

export type DisplayActor = ActorRefFrom<typeof displayMachine>;
