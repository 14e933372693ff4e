/** The files of scripts/defects.mjs in .cache, and a defect planted in a file of the project. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './setup.mjs';

export const cache = (name) => join(root, '.cache', name);
mkdirSync(cache('.'), { recursive: true });

/** Holds the original of a changed file, while a defect is planted. */
const kept = cache('defects-original.json');

/** Removes a planted defect, if there is one. */
export function restore() {
  if (!existsSync(kept)) return;
  const { file, text } = JSON.parse(readFileSync(kept, 'utf8'));
  writeFileSync(join(root, file), text);
  rmSync(kept);
}

/** Writes a defect into its file, until {@link restore}. */
export function plant({ file, planted }) {
  writeFileSync(kept, JSON.stringify({ file, text: readFileSync(join(root, file), 'utf8') }));
  writeFileSync(join(root, file), planted);
}
