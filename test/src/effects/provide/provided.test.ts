import { beforeEach, describe, expect, it, vi } from 'vitest';
import { StateMachine, type AnyActorLogic, type AnyStateMachine, type AnyStateNode } from 'xstate';
import { placeholderKind } from '#machines/shared/placeholder.ts';
import type { Effects, Outside } from '#src/effects/provide/index.ts';
import { workspaceWith } from '#src/effects/provide/console.ts';
import { provideEffects } from '#src/effects/provide/provide.ts';
import { visitorWith } from '#src/effects/provide/visitor.ts';
import { settings } from '../../../machines/people.ts';

/** Takes any part of the outside that is only handed on as charts are put together, and none that is used by then. */
const unused = () => Promise.reject(new Error('Nothing is called before a chart runs.'));
const outside: Outside = {
  settings,
  port: { tokens: unused, refused: () => undefined, deleted: () => undefined },
  call: unused,
  download: unused,
  missed: { notify: () => undefined, listen: () => () => undefined },
  storage: { read: () => null, write: () => undefined, remove: () => undefined },
  pageUrl: () => new URL('http://parlance.test/'),
  pageId: 'page-1',
  referral: () => undefined,
  blockNavigation: () => () => undefined,
};
const effect = {} as never;

/** Actors of charts that an organization and a project share, in the one that has no state that starts them. */
const OF_THE_OTHER = [
  'workspace.organizationSettings.projectPeople',
  'workspace.projectSettings.loadBalance',
  'workspace.organizationLimits.clearLimits',
  'workspace.projectLimits.increaseForm',
];

function invokedBy({ invoke, states }: AnyStateNode): unknown[] {
  return [...invoke.map(({ src }) => src), ...Object.values(states).flatMap(invokedBy)];
}

/** Where a chart, or one beneath it, has an actor that nobody provides. */
function unprovided(machine: AnyStateMachine, path: string): string[] {
  const invoked = new Set(invokedBy(machine.root));
  return Object.entries(machine.implementations.actors as Record<string, AnyActorLogic>).flatMap(([name, logic]) => {
    const here = `${path}.${name}`;
    if (OF_THE_OTHER.includes(here) && !invoked.has(name)) return [];
    if (logic instanceof StateMachine) return unprovided(logic, here);
    return placeholderKind(logic) === undefined ? [] : [`${here}: provide it in src/effects/provide`];
  });
}

describe('the charts that a page runs', () => {
  beforeEach(() => {
    vi.stubGlobal('window', Object.assign(new EventTarget(), { location: new URL('http://parlance.test/') }));
    vi.stubGlobal('document', new EventTarget());
    vi.stubGlobal('navigator', {});
  });

  it('of the console have all that they call', () => {
    expect(unprovided(workspaceWith(outside), 'workspace')).toEqual([]);
  });

  it('of the public screens have all that they call', () => {
    expect(unprovided(visitorWith(outside, { requestSignOn: effect, leavePage: effect }), 'visitor')).toEqual([]);
  });

  it('of the page itself have all that they call', () => {
    const effects = { outside } as Effects;
    const root = provideEffects(effects, unused);
    // What is fetched later is looked at above.
    const { workspace: _console, visitor: _visitor, ...own } = root.implementations.actors;
    expect(unprovided(root.provide({ actors: own }), 'root')).toEqual([]);
  });
});
