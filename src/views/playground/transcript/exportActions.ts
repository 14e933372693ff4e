import type { ClipboardActor } from '#machines/root/clipboard/machine.ts';
import { type DisplayActor, sideOf } from '#machines/playground/reader/display/machine.ts';
import { exportText } from '#machines/playground/reader/exporter/formats.ts';
import type { ExporterActor } from '#machines/playground/reader/exporter/machine.ts';
import { tokensOf, type TranscriptRecord } from '#machines/playground/transcript/record.ts';

type Parts = {
  exporter: ExporterActor;
  clipboard: ClipboardActor;
  display: DisplayActor;
  /** Reads the current record when a button is pressed. */
  read: () => TranscriptRecord;
  /** Whether a side of a translation can be chosen. */
  hasSides: boolean;
  /** The recording's name, used for the file. */
  name: string;
};

/** The clipboard's label: '… copied' is announced with it. */
export const TRANSCRIPT = 'transcript';

/** Copies or downloads a transcript in the exporter's format, with the side of a translation that is shown (CON-26). */
export function exportActions({ exporter, clipboard, display, read, hasSides, name }: Parts) {
  const shown = () => ({ tokens: tokensOf(read()), side: sideOf(display.getSnapshot().context, hasSides) });
  return {
    copy: () => {
      const { tokens, side } = shown();
      const { format, withSpeakers } = exporter.getSnapshot().context;
      clipboard.send({
        type: 'copy.requested',
        label: TRANSCRIPT,
        text: exportText(tokens, { format, side, withSpeakers }),
      });
    },
    download: () => exporter.send({ type: 'download.requested', name, ...shown() }),
  };
}
