import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const here = fileURLToPath(new URL('./fixtures', import.meta.url));

/** Which rule each fixture must trip. A fixture that passes means that a wall of the house has come down unseen. */
const EXPECTED: Record<string, string> = {
  'contract/api/imports-server.ts': 'no-restricted-imports',
  'contract/imports-machine.ts': 'no-restricted-imports',
  'machines/imports-effects.ts': 'no-restricted-imports',
  'machines/imports-react.ts': 'no-restricted-imports',
  'machines/reads-the-clock.ts': 'no-restricted-globals',
  'machines/touches-the-page.ts': 'no-restricted-globals',
  'server/any.ts': 'no-explicit-any',
  'server/cycle-a.ts': 'no-cycle',
  'server/cycle-b.ts': 'no-cycle',
  'server/floating-promise.ts': 'no-floating-promises',
  'server/imports-machine.ts': 'no-restricted-imports',
  'server/inexhaustive-switch.ts': 'switch-exhaustiveness-check',
  'server/prints.ts': 'no-console',
  'server/type-cycle-a.ts': 'no-cycle',
  'server/type-cycle-b.ts': 'no-cycle',
  'src/effects/imports-server.ts': 'no-restricted-imports',
  'src/effects/markup.tsx': 'no-danger',
  'src/views/x/fetches.tsx': 'no-restricted-globals',
  'src/views/x/hook-after-return.tsx': 'rules-of-hooks',
  'src/views/x/imports-effect-by-alias.tsx': 'no-restricted-imports',
  'src/views/x/imports-effect.tsx': 'no-restricted-imports',
  'src/views/x/react-default.tsx': 'no-restricted-imports',
  'src/views/x/react-namespace.tsx': 'no-restricted-imports',
  'src/views/x/requests.tsx': 'no-restricted-imports',
  'src/views/x/storage.tsx': 'no-restricted-globals',
  'src/views/x/useEffect.tsx': 'no-restricted-imports',
  'src/views/x/useLayoutEffect.tsx': 'no-restricted-imports',
  'src/views/x/useReducer.tsx': 'no-restricted-imports',
  'src/views/x/useRef.tsx': 'no-restricted-imports',
  'src/views/x/useState.tsx': 'no-restricted-imports',
  'src/views/x/useSyncExternalStore.tsx': 'no-restricted-imports',
};

const run = spawnSync(
  process.execPath,
  ['node_modules/oxlint/bin/oxlint', '--type-aware', '-f', 'json', 'test/lint/fixtures'],
  { encoding: 'utf8' },
);
const { diagnostics } = JSON.parse(run.stdout) as { diagnostics: { code: string; filename: string }[] };

it.each(Object.entries(EXPECTED))('%s trips %s', (file, rule) => {
  const codes = diagnostics.filter((d) => d.filename.endsWith(`fixtures/${file}`)).map((d) => d.code);
  expect(codes.some((code) => code.includes(rule))).toBe(true);
});

it('every fixture has an expectation', () => {
  const files = readdirSync(here, { recursive: true, withFileTypes: true }).filter((f) => f.isFile());
  expect(files.map((f) => relative(here, `${f.parentPath}/${f.name}`)).sort()).toEqual(Object.keys(EXPECTED).sort());
});
