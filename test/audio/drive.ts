import type { TranscriptToken } from '#contract/transcriptions.ts';
import { FileTranscriber } from '#server/engine/recognizer/file-transcriber.ts';
import type { StreamOptions, StreamResult } from '#server/engine/port.ts';
import type { FileOptions } from '#server/engine/recognizer/protocol.ts';
import type { Recognizer } from '#server/engine/recognizer/recognizer.ts';
import { LiveTranscriber } from '#server/engine/recognizer/stream.ts';
import type { StreamInput } from '#server/engine/recognizer/stream.ts';
import type { Vad } from '#server/engine/recognizer/vad.ts';

/** What a live client sends: audio in equal pieces, then the end. */
export function spoken(pcm: Uint8Array, pieceBytes: number): StreamInput[] {
  const inputs: StreamInput[] = [];
  for (let at = 0; at < pcm.length; at += pieceBytes)
    inputs.push({ type: 'audio', pcm: pcm.subarray(at, at + pieceBytes) });
  return [...inputs, { type: 'end' }];
}

/** Feeds a live transcriber as if the recognizer took no time: after each input everything that is due is done. */
export async function drive(
  recognizer: Recognizer,
  vad: Vad,
  options: StreamOptions,
  inputs: readonly StreamInput[],
): Promise<StreamResult[]> {
  const transcriber = new LiveTranscriber(recognizer, vad.detector(), options);
  const results: StreamResult[] = [];
  for (const input of inputs) {
    transcriber.push(input);
    while (transcriber.hungry || transcriber.due !== null) {
      while (transcriber.hungry) await transcriber.ingest();
      const result = await transcriber.run();
      if (result !== null) results.push(result);
    }
  }
  return results;
}

/** Transcribes a whole recording at once. */
export async function transcribeWhole(
  recognizer: Recognizer,
  vad: Vad,
  samples: Float32Array,
  options: Partial<FileOptions> = {},
): Promise<TranscriptToken[]> {
  const file = new FileTranscriber(recognizer, vad.detector(), {
    languageIdentification: false,
    diarization: false,
    continued: false,
    ...options,
  });
  await file.append(samples);
  file.end();
  const tokens: TranscriptToken[] = [];
  while (file.waiting > 0) tokens.push(...(await file.step(() => Promise.resolve())).tokens);
  return tokens;
}

/** The final text without markers. */
export function finalText(results: readonly StreamResult[]): string {
  return results
    .flatMap(({ tokens }) => tokens)
    .filter(({ is_final, text }) => is_final && text !== '<end>' && text !== '<fin>')
    .map(({ text }) => text)
    .join('');
}

/** s16le of samples in [-1, 1]. */
export function toPcm(samples: Float32Array): Uint8Array {
  const pcm = Buffer.alloc(samples.length * 2);
  samples.forEach((sample, index) => pcm.writeInt16LE(Math.round(sample * 32_767), index * 2));
  return pcm;
}
