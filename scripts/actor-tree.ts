/**
 * Draws the tree of actors from the charts: which chart invokes or spawns which actor, in which state. `npm run
 * reference` writes it into docs/architecture.md; a test fails if that page is out of date.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type AnyStateMachine, type AnyStateNode, StateMachine } from 'xstate';
import { rootMachine } from '#machines/root/machine.ts';
import { visitorMachine } from '#machines/visitor/machine.ts';
import { workspaceMachine } from '#machines/workspace/machine.ts';

const PAGE = fileURLToPath(new URL('../docs/architecture.md', import.meta.url));
const BEGIN = '<!-- actor tree: begin -->';
const END = '<!-- actor tree: end -->';

/** `states`: paths of states; 'always' for the whole life of the chart, 'spawned' for any time. */
type Child = { id: string; src: string; states: string[] };

/** Invoked children by id, with the states that own them; then the charts that are spawned by actions. */
function childrenOf(machine: AnyStateMachine): Child[] {
  const children = new Map<string, Child>();
  const visit = (node: AnyStateNode) => {
    for (const { id, src } of node.invoke) {
      const state = node.path.join('.') || 'always';
      const known = children.get(id);
      if (known) known.states.push(state);
      else children.set(id, { id, src: typeof src === 'string' ? src : id, states: [state] });
    }
    for (const inner of Object.values(node.states)) visit(inner);
  };
  visit(machine.root);
  const invoked = new Set([...children.values()].map(({ src }) => src));
  for (const src of Object.keys(machine.implementations.actors)) {
    if (!invoked.has(src)) children.set(src, { id: src, src, states: ['spawned'] });
  }
  return [...children.values()];
}

function draw(machine: AnyStateMachine, indent: string): string[] {
  const children = childrenOf(machine);
  return children.flatMap(({ id, src, states }, index) => {
    const isLast = index === children.length - 1;
    const logic: unknown = machine.implementations.actors[src];
    const isChart = logic instanceof StateMachine;
    const line = `${indent}${isLast ? '└─ ' : '├─ '}${isChart ? id : `(${id})`}  ${states.join(', ')}`;
    return isChart ? [line, ...draw(logic, `${indent}${isLast ? '   ' : '│  '}`)] : [line];
  });
}

// The browser fetches these two charts later, so the root's chart has stand-ins for them.
const root: AnyStateMachine = rootMachine.provide({ actors: { visitor: visitorMachine, workspace: workspaceMachine } });

/** Every chart of the console, each once, with the actors that it invokes or spawns. */
export function allCharts(): { machine: AnyStateMachine; children: readonly Child[] }[] {
  const found = new Map<AnyStateMachine, Child[]>();
  const visit = (machine: AnyStateMachine) => {
    if (found.has(machine)) return;
    const children = childrenOf(machine);
    found.set(machine, children);
    for (const { src } of children) {
      const logic: unknown = machine.implementations.actors[src];
      if (logic instanceof StateMachine) visit(logic);
    }
  };
  visit(root);
  return [...found].map(([machine, children]) => ({ machine, children }));
}

/** The tree as text; effects are in parentheses. */
export function actorTree(): string {
  return ['root', ...draw(root, '')].join('\n');
}

/** The page with its tree redrawn. */
export function withTree(page: string): string {
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined)
    throw new Error(`docs/architecture.md has no '${BEGIN}' … '${END}'.`);
  return `${before}${BEGIN}\n\`\`\`\n${actorTree()}\n\`\`\`\n${END}${after}`;
}

export const readPage = () => readFileSync(PAGE, 'utf8');

export const writePage = (page: string) => writeFileSync(PAGE, page);
