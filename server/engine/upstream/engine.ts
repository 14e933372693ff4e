import type { Model } from '#contract/models.ts';
import { systemClock, type Clock } from '../../platform/clock.ts';
import { outsideWork, boundTo, currentWork } from '../../platform/telemetry/work.ts';
import {
  EngineError,
  type EngineInfo,
  type StreamEvents,
  type StreamOptions,
  type SttEngine,
  type SttStream,
  type TranscribeOptions,
} from '../port.ts';
import { UpstreamClient, type UpstreamAddress } from './client.ts';
import { upstreamErrors, type UpstreamErrors } from './errors.ts';
import { FileTranscriber } from './file-transcription.ts';
import { UpstreamStream } from './live-stream.ts';
import { abilitiesOf, chooseModels, type ChosenModels } from './models.ts';

/** The largest number of recordings uploaded or transcribed at once. */
const FILES = 4;
/** The largest number of streams at once; the upstream also enforces its own limit. */
const STREAMS_MAX = 100;
/** First and longest pause between two attempts to reach the upstream, milliseconds. */
const RETRY_FIRST_MS = 1000;
const RETRY_MAX_MS = 30_000;
/** How long `close` waits for the deletion of the upstream's copies. */
const CLEANING_MAX_MS = 5000;

export interface UpstreamOptions extends UpstreamAddress {
  /** Full URL of the live socket. */
  streamingUrl: string;
  /** Ids of the upstream's models; undefined for its first one that is no alias. */
  liveModel?: string | undefined;
  fileModel?: string | undefined;
  clock?: Clock;
  log?: { info(details: object, message: string): void; warn(details: object, message: string): void };
}

/**
 * Uses another service with the same public API as recognizer: its REST API for recordings, its live socket for
 * streams. Asks for its models at the start, and again until it answers.
 */
export class UpstreamEngine implements SttEngine {
  readonly #options: UpstreamOptions;
  readonly #clock: Clock;
  readonly #errors: UpstreamErrors;
  readonly #client: UpstreamClient;
  readonly #files: FileTranscriber;
  readonly #streams = new Set<UpstreamStream>();
  readonly #closing = new AbortController();
  #models: ChosenModels | undefined;
  #info: Pick<EngineInfo, 'languages' | 'abilities'> = { languages: [], abilities: {} };
  #attempt: Promise<void> | undefined;
  #refused: { error: unknown; at: number } | undefined;
  #retryMs = RETRY_FIRST_MS;
  #cancelRetry: () => void = () => undefined;

  constructor(options: UpstreamOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#errors = upstreamErrors(options);
    this.#client = new UpstreamClient(options, this.#errors);
    this.#files = new FileTranscriber({
      client: this.#client,
      errors: this.#errors,
      clock: this.#clock,
      log: options.log,
    });
    // It has logged its failure, and tries again; `ready` tells it to callers.
    this.#reach().catch(() => undefined);
  }

  info(): EngineInfo {
    return {
      runtime: 'upstream',
      workers: FILES,
      maxStreams: STREAMS_MAX,
      streams: this.#streams.size,
      ...this.#info,
      ready: this.#models !== undefined && !this.#closing.signal.aborted,
    };
  }

  /**
   * Resolves once the models are known; rejects with the error of the latest attempt. Attempts go on in the background.
   */
  ready(): Promise<void> {
    if (this.#closing.signal.aborted) return Promise.reject(closed());
    if (this.#models !== undefined) return Promise.resolve();
    if (
      this.#attempt === undefined &&
      this.#refused !== undefined &&
      this.#clock.now() - this.#refused.at < RETRY_FIRST_MS
    )
      return Promise.reject(this.#refused.error);
    return this.#reach();
  }

  openStream(options: StreamOptions, events: StreamEvents): SttStream {
    const model = this.#model('real_time');
    if (this.#streams.size >= STREAMS_MAX)
      throw new EngineError('overloaded', `All ${STREAMS_MAX} live streams are in use.`);
    const { streamingUrl, key, log } = this.#options;
    const logged: StreamEvents = {
      result: (result) => events.result(result),
      error: boundTo(currentWork(), (error: EngineError) => {
        log?.warn({ reason: error.message }, 'upstream live stream failed');
        events.error(error);
      }),
    };
    const stream: UpstreamStream = new UpstreamStream(
      {
        streamingUrl,
        key,
        model,
        errors: this.#errors,
        clock: this.#clock,
        closed: () => this.#streams.delete(stream),
      },
      options,
      logged,
    );
    this.#streams.add(stream);
    return stream;
  }

  async transcribe(
    pcm: AsyncIterable<Float32Array>,
    options: TranscribeOptions = {},
  ): ReturnType<SttEngine['transcribe']> {
    await this.ready();
    const { signal } = this.#closing;
    return this.#files.transcribe(this.#model('async'), pcm, {
      ...options,
      signal: options.signal ? AbortSignal.any([options.signal, signal]) : signal,
    });
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    this.#cancelRetry();
    for (const stream of [...this.#streams]) stream.fail(closed());
    let cancel = (): void => undefined;
    const impatience = new Promise<void>((resolve) => {
      cancel = this.#clock.after(CLEANING_MAX_MS, resolve);
    });
    await Promise.race([this.#files.settled(), impatience]);
    cancel();
  }

  /** @throws EngineError 'not_ready' | 'model_missing' */
  #model(mode: Model['transcription_mode']): string {
    if (this.#closing.signal.aborted) throw closed();
    if (this.#models === undefined) throw this.#errors.unreachable();
    const model = this.#models[mode];
    if (model === undefined) throw this.#errors.modelMissing(mode === 'async' ? 'file' : 'live', undefined);
    return model.id;
  }

  #reach(): Promise<void> {
    this.#attempt ??= outsideWork(() => this.#ask()).finally(() => {
      this.#attempt = undefined;
    });
    return this.#attempt;
  }

  async #ask(): Promise<void> {
    this.#cancelRetry();
    const { liveModel, fileModel, log } = this.#options;
    try {
      const models = await chooseModels(this.#client, this.#errors, {
        ...(liveModel !== undefined && { real_time: liveModel }),
        ...(fileModel !== undefined && { async: fileModel }),
      });
      const all = Object.values(models);
      this.#info = {
        languages: [...new Set(all.flatMap(({ languages }) => languages.map(({ code }) => code)))],
        abilities: Object.fromEntries(all.map((model) => [model.transcription_mode, abilitiesOf(model)])),
      };
      this.#models = models;
      log?.info({ live_model: models.real_time?.id, file_model: models.async?.id }, 'upstream speech service ready');
    } catch (error) {
      this.#refused = { error, at: this.#clock.now() };
      if (!this.#closing.signal.aborted) {
        log?.warn(
          { reason: error instanceof Error ? error.message : String(error) },
          'upstream speech service not ready',
        );
        this.#cancelRetry = this.#clock.after(this.#retryMs, () => void this.#reach().catch(() => undefined));
        this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MAX_MS);
      }
      throw error;
    }
  }
}

const closed = (): EngineError => new EngineError('not_ready', 'The speech engine is closed.');
