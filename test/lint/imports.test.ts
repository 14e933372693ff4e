import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { AREAS, upwardImports } from './areas.ts';
import { circles } from './circles.ts';
import { graphOf, readSources, specifiersOf, type ImportGraph } from './imports.ts';

const graph = graphOf(readSources('contract', 'machines', 'server', 'src'));
const server = graphOf(readSources('server'));

describe('the sources', () => {
  it('have no circle of imports, types included', () => {
    expect(circles(graph)).toEqual([]);
  });

  it('of the server import only downward from area to area', () => {
    expect(upwardImports(server)).toEqual([]);
  });

  it('have the order that the page about the architecture gives', () => {
    const [list = ''] = /^main, app .*?(?=^```)/ms.exec(readFileSync('docs/architecture.md', 'utf8')) ?? [];
    const named = list
      .split('\n')
      .map((line) => line.split(/\/? {2,}/)[0] ?? '')
      .flatMap((names) => names.split(', '));
    expect(named.filter((name) => name !== '')).toEqual([...AREAS.filter((area) => area !== 'entry'), 'engine']);
  });
});

describe('the views', () => {
  it('ask charts for tags, not for the names of their states', () => {
    const asking = [...readSources('src/views')].filter(([, text]) => /\.matches\(/.test(text)).map(([path]) => path);
    expect(asking).toEqual([]);
  });
});

describe('the check of imports', () => {
  it.each([
    ['a value', `import { a } from './a.ts';`],
    ['a type', `import type { A } from './a.ts';`],
    ['a type among values', `import { type A } from './a.ts';`],
    ['nothing', `import './a.ts';`],
    ['by a re-export', `export { a } from './a.ts';`],
    ['by a re-export of types', `export type { A } from './a.ts';`],
    ['by a re-export of everything', `export * from './a.ts';`],
    ['later', `const load = () => import('./a.ts');`],
    ['later, between backticks', 'const load = () => import(`./a.ts`);'],
    ['within a type', `type A = import('./a.ts').A;`],
    ['within a type of a module', `type A = typeof import('./a.ts');`],
  ])('sees an import of %s', (_, text) => {
    expect(specifiersOf('server/x.ts', text)).toEqual(['./a.ts']);
  });

  it('does not take comments and texts for imports', () => {
    expect(specifiersOf('server/x.ts', `// import './a.ts';\nconst text = "import './b.ts'";`)).toEqual([]);
  });

  it('refuses what it cannot read', () => {
    expect(() => specifiersOf('server/x.ts', 'import(name)')).toThrow(
      'server/x.ts imports an address that it computes',
    );
    expect(() => specifiersOf('server/x.ts', 'import {')).toThrow('server/x.ts cannot be parsed');
  });

  it('follows relative addresses and those of the package, and leaves out what is elsewhere', () => {
    const found = graphOf(
      new Map([
        ['server/money/a.ts', `import '../http/b.ts'; import '#contract/c.ts'; import 'hono'; import './missing.ts';`],
        ['server/http/b.ts', ''],
        ['contract/c.ts', ''],
      ]),
    );
    expect(found.get('server/money/a.ts')).toEqual(['server/http/b.ts', 'contract/c.ts']);
  });
});

const files = (texts: Record<string, string>): ImportGraph => graphOf(new Map(Object.entries(texts)));

describe('a circle', () => {
  it('of two files is told with what to do, once', () => {
    expect(circles(files({ 'src/a.ts': `import './b.ts';`, 'src/b.ts': `import './a.ts';` }))).toEqual([
      'src/a.ts → src/b.ts → src/a.ts is a circle of imports. ' +
        'Move what src/b.ts takes from src/a.ts into a file below both, or hand it in.',
    ]);
  });

  it('of types, of later imports and of one file with itself is one, too', () => {
    const [value, type] = [`import './b.ts';`, `import type { B } from './b.ts';`];
    expect(circles(files({ 'src/a.ts': type, 'src/b.ts': `type A = import('./a.ts').A;` }))).toHaveLength(1);
    expect(circles(files({ 'src/a.ts': value, 'src/b.ts': `const a = () => import('./a.ts');` }))).toHaveLength(1);
    expect(circles(files({ 'src/b.ts': type }))).toHaveLength(1);
  });

  it('is told by its shortest way, and files that only lead to it are not named', () => {
    const [sentence, ...more] = circles(
      files({
        'src/start.ts': `import './a.ts';`,
        'src/a.ts': `import './b.ts'; import './c.ts';`,
        'src/b.ts': `import './c.ts';`,
        'src/c.ts': `import './a.ts'; import './end.ts';`,
        'src/end.ts': '',
      }),
    );
    expect(sentence).toMatch(/^src\/a\.ts → src\/c\.ts → src\/a\.ts /);
    expect(more).toEqual([expect.stringMatching(/^src\/b\.ts → /)]);
  });

  it('is none where one file is reached by two ways', () => {
    const texts = { 'src/a.ts': `import './b.ts'; import './c.ts';`, 'src/b.ts': `import './c.ts';`, 'src/c.ts': '' };
    expect(circles(files(texts))).toEqual([]);
  });
});

describe('an import between areas of the server', () => {
  const statically = (address: string): string => `import type { X } from '${address}';`;
  const later = (address: string): string => `const load = () => import('${address}');`;
  const problem = (from: string, to: string, how = statically): string[] =>
    upwardImports(files({ [from]: how(`#${to}`), [to]: '' }));

  it('that runs upward is told with what to do', () => {
    expect(problem('server/tenancy/members/queries.ts', 'server/money/usage/report.ts')).toEqual([
      'server/tenancy/members/queries.ts imports server/money/usage/report.ts, and tenancy is below money. ' +
        'Move what both need down to tenancy or lower, let app or main hand it in, ' +
        'or move the route that needs it up to money.',
    ]);
    expect(problem('server/http/shell.ts', 'server/app/app.ts', later)).toHaveLength(1);
    expect(problem('server/app/demo.ts', 'server/main.ts')).toHaveLength(1);
  });

  it('may run downward, past areas in between, and within an area', () => {
    expect(problem('server/main.ts', 'server/app/app.ts')).toEqual([]);
    expect(problem('server/speech-api/routes.ts', 'server/platform/clock.ts')).toEqual([]);
    expect(problem('server/tenancy/members/routes.ts', 'server/tenancy/access/guard.ts')).toEqual([]);
  });

  it('reaches the engine by its port only, and main makes one', () => {
    expect(problem('server/speech-api/live/socket.ts', 'server/engine/port.ts')).toEqual([]);
    expect(problem('server/main.ts', 'server/engine/decode/audio.ts')).toEqual([]);
    expect(problem('server/speech-api/live/socket.ts', 'server/engine/decode/stream.ts')).toEqual([
      expect.stringMatching(/the engine is reached by its port\. Say in server\/engine\/port\.ts/),
    ]);
    expect(problem('server/tenancy/projects/queries.ts', 'server/engine/port.ts')).toEqual([
      expect.stringMatching(/tenancy has nothing to do with speech/),
    ]);
  });

  it('leads from the engine to the platform and nowhere else', () => {
    expect(problem('server/engine/upstream/client.ts', 'server/platform/clock.ts')).toEqual([]);
    expect(problem('server/engine/upstream/client.ts', 'server/http/errors.ts')).toEqual([
      expect.stringMatching(/the engine imports only platform and contract/),
    ]);
  });

  it('joins no two parts of the engine', () => {
    expect(problem('server/engine/decode/mono.ts', 'server/engine/pcm.ts')).toEqual([]);
    expect(problem('server/engine/decode/mono.ts', 'server/engine/decode/codec.ts')).toEqual([]);
    expect(problem('server/engine/decode/mono.ts', 'server/engine/recognizer/moonshine.ts')).toEqual([
      expect.stringMatching(/the engine's decode and recognizer know nothing of each other/),
    ]);
    expect(problem('server/engine/pcm.ts', 'server/engine/recognizer/moonshine.ts')).toEqual([
      expect.stringMatching(/what the engine's parts share knows none of them/),
    ]);
  });

  it('has to be one between areas', () => {
    expect(upwardImports(files({ 'server/helpers/text.ts': '' }))).toEqual([
      'server/helpers is no area. Put it into one of them (docs/architecture.md), ' +
        'or give it its place in test/lint/areas.ts.',
    ]);
  });
});
