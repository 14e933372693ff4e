/** How the built console is cut into files. Builds it where it is out of date. */
import { beforeAll, describe, expect, it } from 'vitest';
import { filesOf, gzippedKilobytes, LATE, PAGES, readManifest, readPage } from '../../bench/chunks.ts';

/** What only a signed-in person is shown. */
const INSIDE = ['src/effects/provide/console.ts', 'src/views/shell/ConsoleLayout.tsx'];

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

  // The charts of all screens come with the console, so that each screen adds 2 to 3 kB to the playground. Fetched with their
  // screens they would spare it 13 kB, which is a thirtieth of a cold start and less of a warm one.
  it.each([
    ['signIn', 180],
    ['signUp', 190],
    ['playground', 420],
  ] as const)('PRF-02: loads %s with at most %i kB of script, gzipped', (page, most) => {
    expect(gzippedKilobytes(filesOf(manifest, PAGES[page]))).toBeLessThanOrEqual(most);
  });

  it('shows sign-in without anything that only the console uses', () => {
    const inside = filesOf(manifest, INSIDE);
    const shared = [...filesOf(manifest, PAGES.signIn)].filter((file) => inside.has(file));
    const names = shared.map((file) => /assets\/(.+)-.{8}\.js$/.exec(file)?.[1]);
    expect(new Set(names)).toEqual(new Set(['common', 'early', 'index', 'libraries', 'rolldown-runtime']));
  });

  it('PRF-01: calls early from one small file, and the page names the files of the console', () => {
    const early = filesOf(manifest, ['src/early/begin.ts']);
    expect(early.size).toBe(1);
    expect(gzippedKilobytes(early)).toBeLessThanOrEqual(6);
    const html = readPage();
    const [src = ''] = early;
    expect(html).toMatch(new RegExp(`<script type="module" async src="/${src}" nonce="__CSP_NONCE__"></script>`));
    const atOnce = [...filesOf(manifest, PAGES.signIn)];
    const preloads = [
      ...html.matchAll(/<link rel="modulepreload" crossorigin href="\/([^"]+)" nonce="__CSP_NONCE__">/g),
    ];
    const entry = manifest['index.html']?.file;
    expect(preloads.map(([, file = '']) => file).toSorted()).toEqual(
      atOnce.filter((file) => file !== entry).toSorted(),
    );
    const [, named = ''] = /<meta name="console-files" content="([^"]*)">/.exec(html) ?? [];
    const inside = [...filesOf(manifest, INSIDE)];
    expect(named.split(' ').toSorted()).toEqual(
      inside
        .filter((file) => !atOnce.includes(file))
        .map((file) => `/${file}`)
        .toSorted(),
    );
  });

  it('has the styles of the console in one file: an import fetches none', () => {
    const styles = Object.values(manifest).flatMap(({ css = [] }) => css);
    expect(new Set(styles).size).toBe(3);
    expect(readPage().match(/<link rel="stylesheet"/g)).toHaveLength(1);
    for (const page of ['inspector.html', 'document.html']) expect(manifest[page]?.css).toHaveLength(1);
    expect(manifest['index.html']?.css).toHaveLength(1);
  });

  it.each(['src/views/shell/Overlays.tsx', 'src/views/playground/async/Dialogs.tsx'])(
    'ERR-08: has the dialogs of %s in the file of their screen, which is there when the network goes',
    (name) => expect(manifest).not.toHaveProperty([name]),
  );

  it.each(LATE)('fetches %s only where it is used', (name) => {
    const own = manifest[name]?.file;
    expect(own).toBeDefined();
    for (const page of Object.values(PAGES)) expect(filesOf(manifest, page)).not.toContain(own);
  });
});
