import type { Worker } from 'node:worker_threads';
import { startWorker } from '../../platform/workers.ts';
import { SAMPLE_RATE } from '../port.ts';

/** For the decoders' own objects; audio and compiled decoders are not part of it. */
const HEAP_MB = 256;
/** Threads kept for the next recording, and for how long. Each holds some 15 MB; to start one takes longer than to decode a sentence. */
const SPARE_MAX = 2;
const SPARE_MS = 30_000;
/** A thread that has done so much is not kept: what its decoders leave behind goes with it. The collector does not see that these are large. */
const RECORDINGS_MAX = 50;
const SAMPLES_MAX = 300 * SAMPLE_RATE;

/** Recordings that a thread has decoded, and their 16 kHz samples altogether. */
interface Done {
  recordings: number;
  samples: number;
}

interface Spare {
  thread: Worker;
  readonly done: Done;
  forget(): void;
}

const spares: Spare[] = [];

/** A thread for one recording. */
export interface Lease {
  readonly thread: Worker;
  /** Gives the thread back after these samples, to be used again where it `isIdle`. The holder has taken its listeners away. */
  release(isIdle: boolean, samples: number): Promise<void>;
}

/** Takes a decoding thread, a used one where there is one. */
export function leaseThread(): Lease {
  const spare = spares.pop();
  spare?.forget();
  const thread = spare?.thread ?? start();
  thread.ref();
  return {
    thread,
    async release(isIdle, samples) {
      const done = { recordings: (spare?.done.recordings ?? 0) + 1, samples: (spare?.done.samples ?? 0) + samples };
      if (isIdle && done.recordings < RECORDINGS_MAX && done.samples < SAMPLES_MAX && spares.length < SPARE_MAX)
        keep(thread, done);
      else await thread.terminate();
    },
  };
}

function start(): Worker {
  // What it prints is not read: a stream that is read keeps the process alive, whatever `unref` says.
  return startWorker('decode-worker', {
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
}

function keep(thread: Worker, done: Done): void {
  const drop = (): void => {
    spares.splice(spares.indexOf(spare), 1);
    spare.forget();
    void thread.terminate();
  };
  const expiry = setTimeout(drop, SPARE_MS);
  const spare: Spare = {
    thread,
    done,
    forget() {
      clearTimeout(expiry);
      thread.off('error', drop).off('exit', drop);
    },
  };
  // It must not keep the process alive, nor end it.
  expiry.unref();
  thread.on('error', drop).on('exit', drop);
  thread.unref();
  spares.push(spare);
}
