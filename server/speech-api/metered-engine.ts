import { EngineError, type SttEngine, type SttStream } from '../engine/port.ts';
import type { Meters } from '../platform/telemetry/meters.ts';
import { traced, type OpenSpan, type Tracer } from '../platform/telemetry/tracer.ts';
import { currentWork } from '../platform/telemetry/work.ts';

/**
 * Wraps an engine with metrics and traces. Audio that is recognized again, as after the loss of a worker, counts once.
 */
export function meteredEngine(engine: SttEngine, { meters, tracer }: { meters: Meters; tracer: Tracer }): SttEngine {
  const counted = { lost: 0, replaced: 0 };
  meters.addReader('process', (tell) => {
    const { ready, workers, streams, maxStreams, processes } = engine.info();
    tell('parlance_recognizer_ready', {}, ready ? 1 : 0);
    tell('parlance_recognizer_workers', {}, workers);
    tell('parlance_live_streams', {}, streams);
    tell('parlance_live_stream_places', {}, maxStreams);
    if (processes === undefined) return;
    tell('parlance_recognizer_processes', {}, processes.running);
    tell('parlance_recognizer_resident_bytes', {}, processes.residentBytes);
    for (const how of ['lost', 'replaced'] as const) {
      meters.count('parlance_recognizer_processes_ended_total', { how }, processes[how] - counted[how]);
      counted[how] = processes[how];
    }
  });
  /** Counts audio by how far it was recognized: a position that is reached again adds nothing. */
  const audioCounter = (source: 'recording' | 'stream') => {
    let farthest = 0;
    return (ms: number): void => {
      if (ms <= farthest) return;
      meters.count('parlance_recognizer_audio_seconds_total', { source }, (ms - farthest) / 1000);
      farthest = ms;
    };
  };
  return {
    info: () => engine.info(),
    ready: () => engine.ready(),
    close: () => engine.close(),
    async transcribe(pcm, options = {}) {
      const countUpTo = audioCounter('recording');
      const result = await traced(tracer, 'recognize recording', () =>
        engine.transcribe(pcm, {
          ...options,
          onProgress(ms) {
            countUpTo(ms);
            options.onProgress?.(ms);
          },
        }),
      );
      countUpTo(result.durationMs);
      return result;
    },
    openStream(options, events) {
      const countUpTo = audioCounter('stream');
      const span = tracer.start('recognize stream', 'internal', currentWork() ?? { requestId: undefined });
      const stream = openTraced(span, () =>
        engine.openStream(options, {
          result(result) {
            countUpTo(result.totalAudioMs);
            if (result.finished) span.end();
            events.result(result);
          },
          error(error) {
            span.end({ failed: error.code });
            events.error(error);
          },
        }),
      );
      return {
        write: (pcm) => stream.write(pcm),
        drained: () => stream.drained(),
        finalize: (trailingSilenceMs) => stream.finalize(trailingSilenceMs),
        end: () => stream.end(),
        abort() {
          span.end({ failed: 'aborted' });
          stream.abort();
        },
      };
    },
  };
}

/** Opens a stream. If that fails, ends the span with the reason. */
function openTraced(span: OpenSpan, open: () => SttStream): SttStream {
  try {
    return open();
  } catch (error) {
    span.end({ failed: error instanceof EngineError ? error.code : 'unknown' });
    throw error;
  }
}
