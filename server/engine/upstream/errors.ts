import type { LiveFailureReason } from '#contract/live.ts';
import { EngineError, type EngineErrorCode } from '../port.ts';

/** Error codes that the upstream and this engine share. */
const OF_THE_RECORDING: readonly EngineErrorCode[] = ['invalid_audio', 'unsupported_format', 'audio_too_long'];
const codeOf = (type: string | null | undefined): EngineErrorCode | undefined =>
  OF_THE_RECORDING.find((one) => one === type);
/** The location of the file in a refused upload (speech API §2). */
const FILE = 'file.file';
const MESSAGE_MAX = 300;

/** What a refusal of the upstream says: an answer or an error frame. */
export interface RefusalFields {
  type?: string | undefined;
  message?: string | undefined;
  reason?: LiveFailureReason | undefined;
  /** Locations of the wrong fields of the request. */
  locations?: readonly string[] | undefined;
  /** Whether it ended a live stream. After a 400, a repeated stream would be refused, too. */
  hasEndedStream?: boolean;
}

/** Makes EngineErrors of the upstream's failures. They quote its messages, with the key removed. */
export interface UpstreamErrors {
  /** A refusal, by its HTTP status or an error frame's code. */
  refused(status: number, fields?: RefusalFields): EngineError;
  /** A transcription that ended in an error. */
  failed(type: string | null, message: string | null): EngineError;
  unreachable(): EngineError;
  /** An answer that does not fit the speech API. */
  strange(): EngineError;
  /** A stream that broke off. */
  lost(): EngineError;
  modelMissing(mode: string, wanted: string | undefined): EngineError;
}

export function upstreamErrors({ url, key }: { url: string; key: string }): UpstreamErrors {
  const service = `The speech service at ${new URL(url).host}`;
  const clean = (message: string): string => message.replaceAll(key, '[key]').slice(0, MESSAGE_MAX);
  const said = (message: string | null | undefined): string => (message ? ` It says: ${clean(message)}` : '');
  return {
    refused(status, { type, message, reason, locations = [], hasEndedStream = false } = {}) {
      if (status === 401)
        return new EngineError('not_ready', `${service} does not accept the key of this server (SPEECH_UPSTREAM_KEY).`);
      if (status === 402)
        return new EngineError('not_ready', `${service} has no balance or budget left for this server.`);
      if (status === 403)
        return new EngineError('not_ready', `${service} does not let this server do that.${said(message)}`);
      if (status === 413 || reason === 'too_much_audio')
        return new EngineError('audio_too_long', 'The recording is too long for the speech service.');
      if (reason === 'context')
        return new EngineError('invalid_context', `The speech service cannot use the context.${said(message)}`);
      if (status === 429)
        return new EngineError('overloaded', `${service} is at the limit of what it does for this server.`);
      if (type === 'model_not_available')
        return new EngineError('model_missing', `${service} does not know the model.`);
      const code = codeOf(type) ?? (locations.includes(FILE) ? 'invalid_audio' : undefined);
      if (code !== undefined) return new EngineError(code, `The speech service cannot use the audio.${said(message)}`);
      return new EngineError(
        status === 400 && hasEndedStream ? 'invalid_audio' : 'worker_crashed',
        `${service} refused a request with ${status}.${said(message)}`,
      );
    },
    failed(type, message) {
      const code = codeOf(type);
      if (code !== undefined)
        return new EngineError(code, message ? clean(message) : 'The recording could not be transcribed.');
      return new EngineError('worker_crashed', `${service} could not transcribe the recording.${said(message)}`);
    },
    unreachable: () => new EngineError('not_ready', `${service} does not answer.`),
    strange: () => new EngineError('worker_crashed', `${service} gave an answer that is not of the speech API.`),
    lost: () => new EngineError('worker_crashed', `${service} broke off.`),
    modelMissing: (mode, wanted) =>
      new EngineError(
        'model_missing',
        wanted === undefined ? `${service} has no ${mode} model.` : `${service} has no ${mode} model ${wanted}.`,
      ),
  };
}
