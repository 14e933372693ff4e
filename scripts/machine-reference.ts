/**
 * Makes docs/machines.md from the charts: each chart's states, tags, events and children. `npm run reference` writes the
 * page, which is not committed.
 */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StateMachine, type AnyStateMachine, type AnyStateNode, type AnyTransitionDefinition } from 'xstate';
import { PAYMENT_EVENTS, PAYMENTS, WAITS_MS } from '#server/money/ledger/life.ts';
import { AUTOPAY, AUTOPAY_EVENTS } from '#server/money/ledger/autopay-life.ts';
import { LIFE, LIVE_EVENTS, LIVE_STATES, LIVE_TIMERS } from '#server/speech-api/live/life.ts';
import { allCharts } from './actor-tree.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const PAGE = join(root, 'docs/machines.md');

const HEAD = `# The machines

\`npm run reference\` makes this page from the charts; it is not committed. [machines/README.md](../machines/README.md) is the guide,
[architecture.md](architecture.md) has the tree of actors. Of each state: its tags, the actors that live as long as it does
(effects in parentheses), and what it takes. \`[guard]\` is what an event is taken under; an event without an arrow changes
no state.
`;

type Source = { file: string; about: string };

/** The files that make charts, by the id that stands in them, with the comment that begins them. */
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
  // A chart of its own, or made by a factory of `shared`.
  return new Map([
    ...found(/create\w+(?:<[^(]*>)?\(\{?\s*(?:id: )?'(\w+)'/g),
    ...found(/createMachine\(\{\s*id: '(\w+)',/g),
  ]);
}

/** What a guard made of others is called, by the function of XState that checks it. */
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

/** What an event is called on the page: \`done loadKeys\`, \`after expiry\`. */
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

/** The server's tables, by which payments, autopay and live sessions move. */
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
    '[server/money/ledger/life.ts](../server/money/ledger/life.ts) and [autopay-life.ts](../server/money/ledger/autopay-life.ts): the tables by which the server moves',
    'each payment and the autopay of each organization. Each move is made in one transaction, which locks the account. An event without an arrow comes late, and changes nothing; one',
    'that is not listed is refused, and logged.',
    '',
    ...events(PAYMENT_EVENTS),
    ...Object.entries(PAYMENTS).flatMap(([kind, moves]) => [`### ${kind}`, '', ...states(moves)]),
    '## Autopay, at the server',
    '',
    '`next` is what else holds autopay: a dispute before money that does not fit, and that before a refund; unknown, where a charge has no answer; or else idle.',
    '',
    ...events(AUTOPAY_EVENTS),
    ...states(AUTOPAY),
    '## Live sessions, at the server',
    '',
    '[server/speech-api/live/life.ts](../server/speech-api/live/life.ts): a table of states, each with the timer that bounds it, the others that may run, and its',
    'events. An event without an arrow comes late, and changes nothing; one that is not listed ends the session as a fault of the server.',
    '',
    ...events(LIVE_EVENTS),
    '| timer | |',
    '|---|---|',
    ...Object.entries(LIVE_TIMERS).map(([timer, text]) => `| ${timer} | ${text} |`),
    '',
    ...Object.entries(LIFE).flatMap(([state, { bound, timers, on }]) => [
      `- **${state}** waits for ${LIVE_STATES[state as keyof typeof LIFE]}; timers: ${[bound ?? 'no bound', ...timers].join(', ')}`,
      ...Object.entries(on).map(([event, target]) => `  - ${event}${target === 'late' ? '' : ` → ${target}`}`),
    ]),
    '',
  ];
}

/** The page, from the charts as they are. */
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
