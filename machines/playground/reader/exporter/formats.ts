import { MARKERS } from '#contract/live.ts';
import { segmentsOf } from '../../transcript/segments.ts';
import type { RenderOption } from '../../../shared/route.ts';
import type { Token } from '../../transcript/record.ts';
import { cuesOf, inOneLine, type Cue } from './cues.ts';

export type ExportFormat = 'txt' | 'json' | 'srt' | 'vtt';

export type ExportOptions = {
  format: ExportFormat;
  side: RenderOption;
  withSpeakers: boolean;
};

export const MEDIA_TYPES: Readonly<Record<ExportFormat, string>> = {
  txt: 'text/plain;charset=utf-8',
  json: 'application/json',
  srt: 'application/x-subrip;charset=utf-8',
  vtt: 'text/vtt;charset=utf-8',
};

/** A transcript as the text of a file. JSON has the API's tokens and is always complete. */
export function exportText(tokens: readonly Token[], options: ExportOptions): string {
  switch (options.format) {
    case 'txt':
      return toPlainText(tokens, options);
    case 'json':
      return toJson(tokens);
    case 'srt':
      return toSrt(cuesOf(tokens, options.side), options.withSpeakers);
    case 'vtt':
      return toVtt(cuesOf(tokens, options.side), options.withSpeakers);
  }
}

/** One line per segment, with the speaker in front if known and wanted. */
function toPlainText(tokens: readonly Token[], { side, withSpeakers }: ExportOptions): string {
  const lines = segmentsOf(tokens, side)
    .filter(({ kind }) => kind === 'speech')
    .flatMap(({ speaker, words }) => {
      const text = inOneLine(words.map((word) => word.text).join(''));
      if (text === '') return [];
      return withSpeakers && speaker !== null ? `Speaker ${inOneLine(speaker)}: ${text}` : text;
    });
  return lines.map((line) => `${line}\n`).join('');
}

function toJson(tokens: readonly Token[]): string {
  const kept = tokens.filter(({ boundary, text }) => boundary === undefined && !MARKERS.has(text));
  return `${JSON.stringify({ text: kept.map(({ text }) => text).join(''), tokens: kept }, null, 2)}\n`;
}

function toSrt(cues: readonly Cue[], withSpeakers: boolean): string {
  return cues
    .map(
      (cue, index) =>
        `${index + 1}\n${clock(cue.startMs, ',')} --> ${clock(cue.endMs, ',')}\n${spoken(cue, cues[index - 1], withSpeakers)}\n\n`,
    )
    .join('');
}

/** The caption's text; names the speaker if it differs from the caption before. */
function spoken({ speaker, lines }: Cue, before: Cue | undefined, withSpeakers: boolean): string {
  const text = lines.join('\n');
  return withSpeakers && speaker !== null && speaker !== before?.speaker ? `Speaker ${speaker}: ${text}` : text;
}

function toVtt(cues: readonly Cue[], withSpeakers: boolean): string {
  const blocks = cues.map(({ startMs, endMs, speaker, lines }) => {
    const text = lines.map(escapeVtt).join('\n');
    return `${clock(startMs, '.')} --> ${clock(endMs, '.')}\n${withSpeakers && speaker !== null ? `<v Speaker ${escapeVtt(speaker)}>${text}` : text}\n`;
  });
  return ['WEBVTT\n', ...blocks].join('\n');
}

const escapeVtt = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** hh:mm:ss, then `point` and milliseconds. */
function clock(ms: number, point: ',' | '.'): string {
  const whole = Math.max(0, Math.round(ms));
  const [hours, minutes, seconds] = [
    Math.floor(whole / 3_600_000),
    Math.floor(whole / 60_000) % 60,
    Math.floor(whole / 1000) % 60,
  ];
  return `${[hours, minutes, seconds].map((part) => String(part).padStart(2, '0')).join(':')}${point}${String(whole % 1000).padStart(3, '0')}`;
}
