import { createRequire } from 'node:module';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { InferenceSession, TensorConstructor } from 'onnxruntime-web';

export type RuntimeName = 'native' | 'wasm';

export type Session = Pick<InferenceSession, 'inputNames' | 'outputNames'> & {
  /** @param wanted outputs to compute and copy; by default all */
  run(feeds: InferenceSession.FeedsType, wanted?: readonly string[]): Promise<InferenceSession.ReturnType>;
};

/** The part of ONNX Runtime that the models use, the same for the native and the WebAssembly build. */
export interface Runtime {
  readonly name: RuntimeName;
  /** Why the native build does not load here, if this is the WebAssembly build in its place. */
  readonly insteadBecause?: string;
  readonly Tensor: TensorConstructor;
  createSession(model: Uint8Array): Promise<Session>;
}

/** The runtime that `PARLANCE_RUNTIME` (native | wasm) forces; undefined for any other value. */
export function forcedRuntime(env: NodeJS.ProcessEnv = process.env): RuntimeName | undefined {
  const value = env['PARLANCE_RUNTIME'];
  return value === 'native' || value === 'wasm' ? value : undefined;
}

/** Guesses cheaply which runtime `loadRuntime` will pick. */
export function likelyRuntime(): RuntimeName {
  const forced = forcedRuntime();
  if (forced !== undefined) return forced;
  try {
    const entry = createRequire(import.meta.url).resolve('onnxruntime-node');
    const binding = join(
      dirname(entry),
      '..',
      'bin',
      'napi-v6',
      process.platform,
      process.arch,
      'onnxruntime_binding.node',
    );
    return existsSync(binding) ? 'native' : 'wasm';
  } catch {
    return 'wasm';
  }
}

/**
 * Loads the native build if it works on this machine, else the WebAssembly build, which works everywhere.
 * Each session has one thread: with models this small, a second one doubles the CPU time and gains nothing.
 */
export async function loadRuntime(forced: RuntimeName | undefined = forcedRuntime()): Promise<Runtime> {
  if (forced === 'wasm') return loadWasm();
  try {
    return await loadNative();
  } catch (error) {
    if (forced === 'native') throw error;
    return { ...(await loadWasm()), insteadBecause: error instanceof Error ? error.message : String(error) };
  }
}

const SESSION_OPTIONS: InferenceSession.SessionOptions = {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  // A memory plan for each length of audio takes 90 MiB a process and saves no time.
  enableMemPattern: false,
  // Beyond basic, the two builds fuse and round differently, so that doubtful words come out differently.
  graphOptimizationLevel: 'basic',
  // Unpack the quantized weights once, instead of for every token: a third less work for 60 MiB a process (WebAssembly:
  // 110).
  extra: { session: { disable_quant_qdq: '1' } },
  logSeverityLevel: 3,
};

async function loadNative(): Promise<Runtime> {
  const ort = await import('onnxruntime-node');
  return {
    name: 'native',
    Tensor: ort.Tensor,
    createSession: async (model) =>
      sessionOf(await ort.InferenceSession.create(model, { ...SESSION_OPTIONS, executionProviders: ['cpu'] })),
  };
}

/** A function of its own, because a closure in `createSession` would keep the model's bytes in memory. */
const sessionOf = (session: InferenceSession): Session => ({
  inputNames: session.inputNames,
  outputNames: session.outputNames,
  run: (feeds, wanted = session.outputNames) => session.run(feeds, wanted),
});

async function loadWasm(): Promise<Runtime> {
  const ort = await import('onnxruntime-web');
  ort.env.wasm.numThreads = 1;
  ort.env.wasm.proxy = false;
  return {
    name: 'wasm',
    Tensor: ort.Tensor,
    createSession: async (model) =>
      sessionOf(await ort.InferenceSession.create(model, { ...SESSION_OPTIONS, executionProviders: ['wasm'] })),
  };
}
