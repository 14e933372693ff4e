/** How the built console is cut into files. Builds it where it is out of date. */
import { beforeAll, describe, expect, it } from 'vitest';
import { filesOf, gzippedKilobytes, LATE, PAGES, readManifest } from '../../bench/chunks.ts';

describe('files of the built console', () => {
  let manifest: ReturnType<typeof readManifest>;
  beforeAll(async () => {
    const { buildAll } = await import('../../scripts/build.mjs');
    await buildAll();
    manifest = readManifest();
  }, 180_000);

  it.each([
    ['signIn', 5],
    ['signUp', 8],
    ['playground', 12],
    ['dashboard', 12],
  ] as const)('loads %s in at most %i script files', (page, most) => {
    expect(filesOf(manifest, PAGES[page]).size).toBeLessThanOrEqual(most);
  });

  it.each([
    ['signIn', 170],
    ['signUp', 183],
    ['playground', 375],
  ] as const)('loads %s with at most %i kB of script, gzipped', (page, most) => {
    expect(gzippedKilobytes(filesOf(manifest, PAGES[page]))).toBeLessThanOrEqual(most);
  });

  it('shows sign-in without anything that only the console uses', () => {
    const inside = filesOf(manifest, ['src/effects/provide/console.ts', 'src/views/shell/ConsoleLayout.tsx']);
    const isInside = (file: string) => inside.has(file);
    const shared = [...filesOf(manifest, PAGES.signIn)].filter(isInside);
    const names = shared.map((file) => /assets\/(.+)-.{8}\.js$/.exec(file)?.[1]);
    expect(new Set(names)).toEqual(new Set(['common', 'index', 'libraries', 'rolldown-runtime']));
  });

  it.each(LATE)('fetches %s only where it is used', (name) => {
    const own = manifest[name]?.file;
    expect(own).toBeDefined();
    for (const page of Object.values(PAGES)) expect(filesOf(manifest, page)).not.toContain(own);
  });
});
