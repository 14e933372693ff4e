import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { reinstall } from '../../platform/paths.ts';
import { EngineError } from '../port.ts';

interface ModelFile {
  /** Path below a node_modules folder. */
  path: string;
  sha256: string;
}

const MOONSHINE = '@moonshine-ai/moonshine-js/dist/model/tiny/quantized';

/** Moonshine Tiny (English) and Silero VAD v5, as published in their packages. */
export const MODEL_FILES = {
  encoder: {
    path: `${MOONSHINE}/encoder_model.onnx`,
    sha256: 'c6fc4b7bc5af75c0591fd157a1f3829b533d18e9769a888fd95a62e470dd4f4a',
  },
  decoder: {
    path: `${MOONSHINE}/decoder_model_merged.onnx`,
    sha256: 'eed87831c3a6103534aae7d47a5d485025c659a1323901513961c39fe8a1a367',
  },
  vad: {
    path: '@ricky0123/vad-web/dist/silero_vad_v5.onnx',
    sha256: '2623a2953f6ff3d2c1e61740c6cdb7168133479b267dfef114a4a3cc5bdd788f',
  },
} as const satisfies Record<string, ModelFile>;

/** Reads a model file. @throws EngineError 'model_missing' if it is absent or its checksum differs */
export async function readModelFile(file: ModelFile): Promise<Uint8Array> {
  // The packages' export maps hide their model files, so search the folders as `require` would.
  const folders = createRequire(import.meta.url).resolve.paths(file.path) ?? [];
  const found = folders.map((folder) => join(folder, file.path)).find((path) => existsSync(path));
  if (found === undefined)
    throw new EngineError('model_missing', `The speech model ${file.path} is not installed. ${reinstall}`);
  const data = await readFile(found);
  if (createHash('sha256').update(data).digest('hex') !== file.sha256) {
    throw new EngineError('model_missing', `The speech model ${file.path} is damaged or another version. ${reinstall}`);
  }
  return data;
}
