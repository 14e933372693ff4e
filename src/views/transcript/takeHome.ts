import type { ClipboardActor } from '#machines/root/clipboard/machine.ts';
import { type DisplayActor, sideOf } from '#machines/playground/reader/display/machine.ts';
import { exportText } from '#machines/playground/reader/exporter/formats.ts';
import type { ExporterActor } from '#machines/playground/reader/exporter/machine.ts';
import { tokensOf, type TranscriptRecord } from '#machines/playground/transcript/record.ts';

type Parts = {
  exporter: ExporterActor;
  clipboard: ClipboardActor;
  /** Of what is on show. */
  display: DisplayActor;
  /** The record as it is when a button is pressed. */
  read: () => TranscriptRecord;
  /** Whether there is a choice of sides. */
  hasSides: boolean;
  /** Of the recording; the file takes it. */
  name: string;
};

/** What is said to be copied. */
export const TRANSCRIPT = 'transcript';

/** Copies a transcript or saves it as a file: the side of its translation that is shown (CON-26), in the exporter's format. */
export function takeHome({ exporter, clipboard, display, read, hasSides, name }: Parts) {
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
