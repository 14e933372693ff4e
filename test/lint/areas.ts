import type { ImportGraph } from './imports.ts';

/**
 * The areas of server/, top to bottom: each imports those after it, never one before it.
 * `entry` and `main` are files.
 */
export const AREAS = [
  'entry',
  'main',
  'app',
  'speech-api',
  'money',
  'tenancy',
  'identity',
  'http',
  'platform',
] as const;
/** Beside them. It imports only the platform; who uses it knows its port, and `main` alone picks and makes one. */
const ENGINE = 'engine';
const ENGINE_PORT = 'server/engine/port.ts';
const PORT_USERS = ['app', 'speech-api', 'money'];

/** `server/money/usage/prices.ts` → `money`; `server/main.ts` → `main`. */
const areaOf = (path: string): string => path.split('/')[1]?.replace(/\.ts$/, '') ?? '';
const floorOf = (area: string): number => AREAS.findIndex((name) => name === area);
const isKnown = (path: string): boolean => areaOf(path) === ENGINE || floorOf(areaOf(path)) >= 0;

/** `server/engine/decode/wav.ts` → `decode`; undefined for what the engine's parts share. */
const partOf = (path: string): string | undefined => /^server\/engine\/([^/]+)\//.exec(path)?.[1];

/** The engine's parts know nothing of each other. */
function problemOfParts(user: string | undefined, used: string | undefined): string | undefined {
  if (used === undefined || user === used) return undefined;
  return user === undefined
    ? `what the engine's parts share knows none of them. Move it into ${used}, or what it needs beside ${ENGINE_PORT}.`
    : `the engine's ${user} and ${used} know nothing of each other. Move what both need beside ${ENGINE_PORT}.`;
}

/** What is wrong with an import from one area to another, and what to do; undefined when nothing is. */
function problemOf(from: string, to: string): string | undefined {
  const [user, used] = [areaOf(from), areaOf(to)];
  if (user === used) return user === ENGINE ? problemOfParts(partOf(from), partOf(to)) : undefined;
  if (user === ENGINE) {
    return used === 'platform'
      ? undefined
      : `the engine imports only platform and contract. Move what it needs to platform, or let its user hand it in.`;
  }
  if (used === ENGINE) {
    if (user === 'main' || (to === ENGINE_PORT && PORT_USERS.includes(user))) return undefined;
    return PORT_USERS.includes(user)
      ? `the engine is reached by its port. Say in ${ENGINE_PORT} what is needed, and let main.ts hand in what does it.`
      : `${user} has nothing to do with speech: only ${PORT_USERS.join(', ')} use the engine's port.`;
  }
  if (floorOf(used) > floorOf(user)) return undefined;
  return (
    `${user} is below ${used}. Move what both need down to ${user} or lower, let app or main hand it in, ` +
    `or move the route that needs it up to ${used}.`
  );
}

/** A sentence for each import between areas of the server that may not be, and for each folder that is no area. */
export function upwardImports(graph: ImportGraph): string[] {
  const strangers = [...new Set([...graph.keys()].filter((path) => !isKnown(path)).map(areaOf))];
  const imports = [...graph]
    .flatMap(([from, targets]) => targets.map((to) => ({ from, to })))
    .filter(({ from, to }) => isKnown(from) && isKnown(to));
  return [
    ...strangers.map(
      (area) =>
        `server/${area} is no area. Put it into one of them (docs/architecture.md), ` +
        'or give it its place in test/lint/areas.ts.',
    ),
    ...imports.flatMap(({ from, to }) => {
      const problem = problemOf(from, to);
      return problem === undefined ? [] : [`${from} imports ${to}, and ${problem}`];
    }),
  ];
}
