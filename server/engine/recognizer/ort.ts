import { createRequire } from 'node:module';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { InferenceSession, TensorConstructor } from 'onnxruntime-web';

export type RuntimeName = 'native' | 'wasm';

export type Session = Pick<InferenceSession, 'inputNames' | 'outputNames'> & {
  /** @param wanted outputs to compute and copy; all of them by default */
  run(feeds: InferenceSession.FeedsType, wanted?: readonly string[]): Promise<InferenceSession.ReturnType>;
};

/** The part of ONNX Runtime that the models use; the same for both builds. */
export interface Runtime {
  readonly name: RuntimeName;
  readonly Tensor: TensorConstructor;
  createSession(model: Uint8Array): Promise<Session>;
}

/** `PARLANCE_RUNTIME` (native | wasm) forces one runtime; anything else leaves the choice to the machine. */
export function forcedRuntime(env: NodeJS.ProcessEnv = process.env): RuntimeName | undefined {
  const value = env['PARLANCE_RUNTIME'];
  return value === 'native' || value === 'wasm' ? value : undefined;
}

/** A cheap guess of what loadRuntime will pick, for use before any worker has loaded it. */
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
 * Loads the native build when it is there and works on this machine, else the WebAssembly one, which works everywhere.
 * One thread per session: a second one doubles the CPU time of models this small and gains nothing.
 */
export async function loadRuntime(forced: RuntimeName | undefined = forcedRuntime()): Promise<Runtime> {
  if (forced === 'wasm') return loadWasm();
  try {
    return await loadNative();
  } catch (error) {
    if (forced === 'native') throw error;
    return loadWasm();
  }
}

const SESSION_OPTIONS: InferenceSession.SessionOptions = {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  // A plan of the memory for every length of audio that has come saves no time and takes 90 MiB a process.
  enableMemPattern: false,
  // Beyond basic, the two builds fuse differently, and what they round differently turns one doubtful word into another.
  graphOptimizationLevel: 'basic',
  // The weights of the words are unpacked once, at the start, and not again for every word: a third less work for 60 MiB a process (110 in WebAssembly).
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

/** Apart from where the session is made, because its functions would hold on to the model's bytes. */
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
