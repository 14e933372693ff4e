/**
 * Makes docs/machines.md from the charts: each chart's states, tags, events and children. `npm run reference` writes the
 * page, which is not committed.
 */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StateMachine, type AnyStateMachine, type AnyStateNode, type AnyTransitionDefinition } from 'xstate';
import { AUTOPAY, AUTOPAY_EVENTS, PAYMENT_EVENTS, PAYMENTS, WAITS_MS } from '#server/money/ledger/life.ts';
import { allCharts } from './actor-tree.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const PAGE = join(root, 'docs/machines.md');

const HEAD = `# The machines

\`npm run reference\` makes this page from the charts; it is not committed. [machines/README.md](../machines/README.md) is
the guide, [architecture.md](architecture.md) has the tree of actors. Each state is listed with its tags, its actors
(effects in parentheses) and its events. \`[guard]\` must hold for an event; an event without an arrow changes no state.
`;

type Source = { file: string; about: string };

/** The files that make charts, by chart id, each with its first comment. */
function sources(): Map<string, Source> {
  const files = readdirSync(join(root, 'machines'), { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && entry.name.endsWith('.ts'),
  );
  const found = (pattern: RegExp) =>
    files.flatMap((entry) => {
      const path = join(entry.parentPath, entry.name);
      const text = readFileSync(path, 'utf8');
      const about =
        /^((?:\/\/ .*\n)+)/
          .exec(text)?.[1]
          ?.replaceAll(/^\/\/ /gm, '')
          .trim()
          .replaceAll('\n', ' ') ?? '';
      return [...text.matchAll(pattern)].map(([, id = '']): [string, Source] => [
        id,
        { file: relative(root, path), about },
      ]);
    });
  // The second pattern finds charts themselves, the first those made by factories in `shared`.
  return new Map([
    ...found(/create\w+(?:<[^(]*>)?\(\{?\s*(?:id: )?'(\w+)'/g),
    ...found(/createMachine\(\{\s*id: '(\w+)',/g),
  ]);
}

/** Names of combined guards, by XState's function that checks them. */
const COMBINED: Record<string, string> = { checkNot: 'not', checkAnd: 'and', checkOr: 'or' };

function guardText(guard: unknown): string {
  if (guard === undefined) return '';
  if (typeof guard === 'string') return ` [${guard}]`;
  const type: unknown = typeof guard === 'object' && guard !== null ? Reflect.get(guard, 'type') : undefined;
  if (typeof type === 'string') return ` [${type}]`;
  const check: unknown = typeof guard === 'function' ? Reflect.get(guard, 'check') : undefined;
  const word = typeof check === 'function' ? COMBINED[check.name] : undefined;
  const parts: unknown = typeof guard === 'function' ? Reflect.get(guard, 'guards') : undefined;
  if (word === undefined || !Array.isArray(parts)) return ' [a guard]';
  const texts = parts.map((part: unknown) => guardText(part).slice(2, -1));
  return ` [${word === 'not' ? `not ${texts.join('')}` : texts.join(` ${word} `)}]`;
}

/** The name of an event on the page, such as \`done loadKeys\` or \`after expiry\`. */
const eventText = (type: string): string =>
  type === ''
    ? 'always'
    : type
        .replace(/^xstate\.(done|error)\.actor\.(.+)$/, '$1 $2')
        .replace(/^xstate\.after\.([^.]+)\..*$/, 'after $1')
        .replace(/^xstate\.done\.state\..*$/, 'done');

function transitionText({ eventType, guard, target }: AnyTransitionDefinition, machine: AnyStateMachine): string {
  const to = target?.map((node) => node.path.join('.') || machine.id).join(', ');
  return `${eventText(eventType)}${guardText(guard)}${to === undefined ? '' : ` → ${to}`}`;
}

function stateText(node: AnyStateNode, machine: AnyStateMachine): string[] {
  const children = node.invoke.map(({ id, src }) =>
    machine.implementations.actors[typeof src === 'string' ? src : id] instanceof StateMachine ? id : `(${id})`,
  );
  const taken = [...(node.always ?? []), ...[...node.transitions.values()].flat()].map((transition) =>
    transitionText(transition, machine),
  );
  const facts = [
    ...(node.tags.length > 0 ? [`tags ${node.tags.join(', ')}`] : []),
    ...(children.length > 0 ? [`children ${children.join(', ')}`] : []),
    ...(node.type === 'parallel' ? ['all of its states at once'] : []),
    ...(node.type === 'final' ? ['the end'] : []),
  ];
  const isPlain = facts.length === 0 && taken.length === 0 && node.parent === undefined;
  const name = node.path.length === 0 ? '(everywhere)' : node.path.join('.');
  const own = isPlain
    ? []
    : [
        `- **${name}**${facts.length > 0 ? `: ${facts.join('; ')}` : ''}`,
        ...[...new Set(taken)].map((text) => `  - ${text}`),
      ];
  return [...own, ...Object.values(node.states).flatMap((inner) => stateText(inner, machine))];
}

const DAY_MS = 86_400_000;

/** The server's tables of moves of payments and autopay. */
function tables(): string[] {
  const events = (all: Readonly<Record<string, string>>): string[] => [
    '| event | |',
    '|---|---|',
    ...Object.entries(all).map(([event, text]) => `| ${event} | ${text} |`),
    '',
  ];
  const states = (all: Readonly<Record<string, Readonly<Record<string, string>>>>): string[] => [
    ...Object.entries(all).flatMap(([state, moves]) => [
      `- **${state}**${state in WAITS_MS ? `: ${WAITS_MS[state as keyof typeof WAITS_MS] / DAY_MS} days at most` : ''}`,
      ...Object.entries(moves).map(([event, target]) => `  - ${event}${target === 'late' ? '' : ` → ${target}`}`),
    ]),
    '',
  ];
  return [
    '## Payments, at the server',
    '',
    '[server/money/ledger/life.ts](../server/money/ledger/life.ts) has two tables, by which the server moves payments and the',
    'autopay of organizations. One transaction makes each move, and locks the account. An event without an arrow comes late,',
    'and changes nothing. The server refuses and logs an event that is not listed.',
    '',
    ...events(PAYMENT_EVENTS),
    ...Object.entries(PAYMENTS).flatMap(([kind, moves]) => [`### ${kind}`, '', ...states(moves)]),
    '## Autopay, at the server',
    '',
    '`next` is the next hold on autopay: a dispute, then money that does not fit, then a refund, then a charge without answer (unknown); without a hold, idle.',
    '',
    ...events(AUTOPAY_EVENTS),
    ...states(AUTOPAY),
  ];
}

/** Makes the page. */
export function machineReference(): string {
  const known = sources();
  const sections = allCharts()
    .map(({ machine }) => machine)
    .toSorted((a, b) => a.id.localeCompare(b.id))
    .map((machine) => {
      const { file, about } = known.get(machine.id) ?? { file: '', about: '' };
      return [
        `## ${machine.id}`,
        '',
        ...(file ? [`[${file}](../${file})${about ? `. ${about}` : ''}`, ''] : []),
        ...stateText(machine.root, machine),
        '',
      ].join('\n');
    });
  return [HEAD, ...sections, ...tables()].join('\n');
}

export const writeReference = (page: string) => writeFileSync(PAGE, page);
