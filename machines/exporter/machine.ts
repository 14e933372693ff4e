// Models how a transcript is taken home: in which format, which side of a translation, with or without speakers.
// Owned by the playground, for both of its transcripts; what is chosen holds as long as the playground is open.
import { assign, setup, type ActorRefFrom } from 'xstate';
import type { RenderOption } from '../transcript/lines.ts';
import type { Token } from '../transcript/record.ts';
import { saveTextFile, type TextFile } from './actors.ts';
import { exportText, MEDIA_TYPES, type ExportFormat, type ExportOptions } from './formats.ts';

type ExporterContext = ExportOptions & {
  /** What is being saved. */
  file: TextFile | null;
};

/** `name` is the recording's, of which the file takes the name. */
type Download = { name: string; tokens: readonly Token[] };

export const exporterMachine = setup({
  types: {} as {
    context: ExporterContext;
    events:
      | { type: 'format.selected'; format: ExportFormat }
      | { type: 'side.selected'; side: RenderOption }
      | { type: 'speakers.chosen'; withSpeakers: boolean }
      | ({ type: 'download.requested' } & Download);
    tags: 'saved' | 'refused';
  },
  actors: { saveTextFile },
  actions: {
    keepFormat: assign((_, { format }: { format: ExportFormat }) => ({ format })),
    keepSide: assign((_, { side }: { side: RenderOption }) => ({ side })),
    keepSpeakers: assign((_, { withSpeakers }: { withSpeakers: boolean }) => ({ withSpeakers })),
    write: assign(({ context }, { name, tokens }: Download) => ({
      file: { filename: filenameFor(name, context.format), mediaType: MEDIA_TYPES[context.format], text: exportText(tokens, context) },
    })),
    forgetFile: assign({ file: null }),
  },
}).createMachine({
  id: 'exporter',
  context: { format: 'txt', side: 'everything', withSpeakers: true, file: null },
  initial: 'idle',
  on: {
    'format.selected': { actions: { type: 'keepFormat', params: ({ event }) => event } },
    'side.selected': { actions: { type: 'keepSide', params: ({ event }) => event } },
    'speakers.chosen': { actions: { type: 'keepSpeakers', params: ({ event }) => event } },
    'download.requested': { target: '.saving', actions: { type: 'write', params: ({ event }) => event } },
  },
  states: {
    idle: {},
    saving: {
      invoke: {
        id: 'saveTextFile',
        src: 'saveTextFile',
        input: ({ context: { file } }) => {
          if (!file) throw new Error('Nothing to save.');
          return file;
        },
        onDone: { target: 'saved', actions: 'forgetFile' },
        onError: { target: 'refused', actions: 'forgetFile' },
      },
    },
    saved: { tags: 'saved' },
    refused: { tags: 'refused' },
  },
});

/** The recording's name with the format's ending in place of its own. */
function filenameFor(name: string, format: ExportFormat): string {
  const stem = name.replace(/\.(?=[^.]*[a-z])[a-z0-9]{1,5}$/i, '');
  return `${stem === '' ? 'transcript' : stem}.${format}`;
}

export type ExporterActor = ActorRefFrom<typeof exporterMachine>;
