import type { Worker } from 'node:worker_threads';
import { startWorker } from '../../platform/workers.ts';
import { SAMPLE_RATE } from '../port.ts';

/** Heap limit of a thread; audio buffers and compiled decoders do not count. */
const HEAP_MB = 256;
/**
 * Spare threads, and how long they are kept. One holds some 15 MB; starting one takes longer than decoding a sentence.
 */
const SPARE_MAX = 2;
const SPARE_MS = 30_000;
/** Past either limit a thread ends, which frees the memory its decoders leak. The garbage collector cannot see it. */
const RECORDINGS_MAX = 50;
const SAMPLES_MAX = 300 * SAMPLE_RATE;

/** How many recordings a thread has decoded, and the total of their 16 kHz samples. */
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
  /** Returns the thread after `samples` decoded samples; only an idle one is reused. Remove your listeners first. */
  release(isIdle: boolean, samples: number): Promise<void>;
}

/** Leases a decoder thread: a spare one, else a new one. */
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
  // Nobody reads its output: reading would keep the process alive despite `unref`.
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
  // A spare thread must neither keep the process alive nor crash it.
  expiry.unref();
  thread.on('error', drop).on('exit', drop);
  thread.unref();
  spares.push(spare);
}
