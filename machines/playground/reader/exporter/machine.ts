// Models exporting a transcript to a file: its format, and whether with speakers. The display decides the side.
// Owned by the reader, for both transcripts; choices last while the playground is open.
import { assign, setup, type ActorRefFrom } from 'xstate';
import type { RenderOption } from '../../transcript/segments.ts';
import type { Token } from '../../transcript/record.ts';
import { saveTextFile, type TextFile } from './actors.ts';
import { exportText, MEDIA_TYPES, type ExportFormat, type ExportOptions } from './formats.ts';
import { withEvent } from '../../../shared/withEvent.ts';

type ExporterContext = Omit<ExportOptions, 'side'> & {
  /** The file being saved. */
  file: TextFile | null;
};

/** `name` is the recording's, from which the file gets its own; `side` is the shown side. */
type Download = { name: string; tokens: readonly Token[]; side: RenderOption };

export const exporterMachine = setup({
  types: {} as {
    context: ExporterContext;
    events:
      | { type: 'format.selected'; format: ExportFormat }
      | { type: 'speakers.chosen'; withSpeakers: boolean }
      /** Another transcript is shown. */
      | { type: 'refusal.forgotten' }
      | ({ type: 'download.requested' } & Download);
    tags: 'saved' | 'refused';
  },
  actors: { saveTextFile },
  actions: {
    setFormat: assign((_, { format }: { format: ExportFormat }) => ({ format })),
    setSpeakers: assign((_, { withSpeakers }: { withSpeakers: boolean }) => ({ withSpeakers })),
    write: assign(({ context }, { name, tokens, side }: Download) => ({
      file: {
        filename: filenameFor(name, context.format),
        mediaType: MEDIA_TYPES[context.format],
        text: exportText(tokens, { ...context, side }),
      },
    })),
    clearFile: assign({ file: null }),
  },
}).createMachine({
  id: 'exporter',
  context: { format: 'txt', withSpeakers: true, file: null },
  initial: 'idle',
  on: {
    'format.selected': { actions: withEvent('setFormat') },
    'speakers.chosen': { actions: withEvent('setSpeakers') },
    'download.requested': { target: '.saving', actions: withEvent('write') },
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
        onDone: { target: 'saved', actions: 'clearFile' },
        onError: { target: 'refused', actions: 'clearFile' },
      },
    },
    saved: { tags: 'saved' },
    refused: { tags: 'refused', on: { 'refusal.forgotten': 'idle' } },
  },
});

/** The recording's name with the format's extension. */
function filenameFor(name: string, format: ExportFormat): string {
  const stem = name.replace(/\.(?=[^.]*[a-z])[a-z0-9]{1,5}$/i, '');
  return `${stem === '' ? 'transcript' : stem}.${format}`;
}

export type ExporterActor = ActorRefFrom<typeof exporterMachine>;
