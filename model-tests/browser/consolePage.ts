/** Where paths of a chart are walked: one signed-in page per file of tests, loaded anew only where a path begins. */
import type { JSHandle, Page } from '@playwright/test';
import type { AnyActorRef, AnyEventObject, AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import { expect, signIn, test, watch } from '#test/journeys/fixtures.ts';
import { isIn, type Path, scenarioOf, stateNames, titleOf } from '../model.ts';
import { type EventOf, type Executor, type Executors, gaps, type StateOf } from './complete.ts';

export { expect, type Executor, type Executors, test };

export type ConsolePage = {
  page: Page;
  /** Path of the demo project's playground, without a slash at its end. */
  playground: string;
  /** A JSON answer of the speech API to the demo account. */
  ask: (path: string) => Promise<unknown>;
};

/** What the browser itself says about answers that a path made fail. */
const EXPECTED_COMPLAINT = /^(Failed to load resource: |WebSocket connection to )/;

/** Opens a page before the tests of a file and closes it after them; what the page complained about fails the file. */
export function useConsolePage(): () => ConsolePage {
  let fixture: ConsolePage | undefined;
  let complaints: string[] = [];

  test.beforeAll(async ({ browser, server }) => {
    const context = await browser.newContext({ baseURL: server.url, viewport: { width: 1280, height: 900 } });
    const page = await context.newPage();
    complaints = watch(page);
    // `?inspect` shows the root actor; nobody looks at the inspector's own window here.
    await page.addInitScript(() => {
      window.open = () => null;
    });
    await signIn(page, { path: '/?inspect' });
    const link = page.getByRole('link', { name: 'Speech-to-Text' });
    const playground = ((await link.getAttribute('href')) ?? '').replace(/\/(\?.*)?$/, '');
    expect(playground).toMatch(/\/projects\/[^/]+\/playground\/speech-to-text$/);
    const ask = (path: string) =>
      page.evaluate(askSpeechApi, { path, project: /projects\/([^/]+)/.exec(playground)?.[1] ?? '' });
    fixture = { page, playground, ask };
  });

  test.afterAll(async () => {
    await fixture?.page.context().close();
    expect(complaints.filter((text) => !EXPECTED_COMPLAINT.test(text))).toEqual([]);
  });

  return () => {
    if (!fixture) throw new Error('The page is not open yet: use it in tests and hooks only.');
    return fixture;
  };
}

async function askSpeechApi({ path, project }: { path: string; project: string }): Promise<unknown> {
  const stored: unknown = JSON.parse(localStorage.getItem('jwt') ?? '{}');
  const token = typeof stored === 'object' && stored !== null ? Reflect.get(stored, 'access') : undefined;
  const authorization = `Bearer ${JSON.stringify({ type: 'jwt', project_id: project, token })}`;
  return (await fetch(`/v1/${path}`, { headers: { authorization } })).json();
}

/** The state of the actor that is reached from the root through these children; null while it does not exist. */
export function chartOf(page: Page, children: readonly string[]): Promise<unknown> {
  return page.evaluate((ids) => {
    const field = (value: unknown, key: string): unknown =>
      typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
    const snapshotOf = (actor: unknown): unknown => {
      const read = field(actor, 'getSnapshot');
      return typeof read === 'function' ? read.call(actor) : undefined;
    };
    let actor: unknown = Reflect.get(window, 'parlance');
    for (const id of ids) actor = field(field(snapshotOf(actor), 'children'), id);
    return field(snapshotOf(actor), 'value') ?? null;
  }, children);
}

/** The actor of the page that is reached through these children. */
export async function actorOf(page: Page, children: readonly string[]): Promise<JSHandle<AnyActorRef>> {
  return page.evaluateHandle((ids) => {
    let actor: AnyActorRef | undefined = window.parlance;
    for (const id of ids) actor = actor?.getSnapshot().children[id];
    if (actor === undefined) throw new Error(`The page has no actor ${ids.join('.')}.`);
    return actor;
  }, children);
}

/** Takes away the messages of a path, which outlive its page. Their chart is told: a message can go by itself before a click. */
async function dismissMessages(page: Page): Promise<void> {
  const toasts = await actorOf(page, ['toasts']);
  await toasts.evaluate((actor) => {
    for (const { id } of actor.getSnapshot().context.toasts) actor.send({ type: 'toast.dismissed', id });
  });
}

/**
 * Shows a page of the console with charts of its own, for a path to begin: another page is shown before, as by a link, until the
 * charts of the last path are gone. That is a fraction of what loading the console takes.
 */
export async function show(page: Page, path: string, children: readonly string[]): Promise<void> {
  const follow = (to: string) => page.evaluate((address) => history.pushState(null, '', address), to);
  await follow('/user/');
  await expect.poll(() => chartOf(page, children)).toBeNull();
  await dismissMessages(page);
  await follow(path);
}

/** Tells the actor that is reached through these children what nothing on the page can tell it. */
export async function sendTo(page: Page, children: readonly string[], event: AnyEventObject): Promise<void> {
  const actor = await actorOf(page, children);
  await actor.evaluate((to, told) => to.send(told), event);
}

type Expectation = (snapshot: AnyMachineSnapshot) => Promise<void>;

type Run = {
  /** States that the real effects leave by themselves at once: nobody can look at them. */
  transientStates?: readonly string[];
  /** Events that the world goes on from before anybody can look; their executors check what is shown. */
  transientEvents?: readonly string[];
  /** The state of the real chart. */
  chart: () => Promise<unknown>;
  /** What of a state is compared, where a region moves by itself. */
  compared?: (value: unknown) => unknown;
};

/** How the paths of a machine are run on the page. A misspelt event or state does not compile. */
export type Performance<Machine extends AnyStateMachine> = Omit<Run, 'transientStates' | 'transientEvents'> & {
  executors: Executors<Machine>;
  /** Per state (`'polling.waiting'`) what the user sees there; every leaf that is not transient has one. */
  expectations: { [State in StateOf<Machine>]?: Expectation };
  transientStates?: readonly StateOf<Machine>[];
  transientEvents?: readonly EventOf<Machine>[];
};

type AnyPerformance = Run & {
  executors: { readonly [type: string]: Executor | undefined };
  expectations: { readonly [state: string]: Expectation | undefined };
};

/** Stands for a page whose locators are made and never used: it answers everything with itself. */
const NO_PAGE: object = new Proxy(() => undefined, { get: () => NO_PAGE, apply: () => NO_PAGE });

/**
 * Fails while the file is loaded, before any browser starts, where an event of the paths has no executor or a state no
 * expectation. `npx playwright test --list model-tests/browser` loads the files without running them.
 */
export function requireComplete<Fixture>(
  machine: AnyStateMachine,
  paths: readonly Path[],
  performance: (
    fixture: Fixture,
  ) => Pick<AnyPerformance, 'executors' | 'expectations' | 'transientStates' | 'transientEvents'>,
): void {
  // Nothing is called in it: making a performance only makes locators and functions.
  const found = gaps(machine, paths, performance({ page: NO_PAGE, playground: '' } as unknown as Fixture));
  if (found.length > 0) throw new Error(found.join('\n'));
}

/** Runs one path on the page: each event is made to happen, then the real chart and the page are compared with the model. */
export async function perform(
  path: Path,
  {
    executors,
    expectations,
    chart,
    transientStates = [],
    transientEvents = [],
    compared = (value) => value,
  }: AnyPerformance,
): Promise<void> {
  test.info().annotations.push({ type: 'path', description: scenarioOf(path) });
  let before: AnyMachineSnapshot | null = null;
  for (const { event, state } of path.steps) {
    const title = `${before ? 'When' : 'Given'} ${titleOf({ ...path, steps: [{ event, state }] })}, then ${stateNames(state)}`;
    await test.step(title, async () => {
      const execute = executors[event.type];
      if (!execute) throw new Error(`Nothing makes '${event.type}' happen.`);
      await execute(event, before, state);
      if (transientEvents.includes(event.type) || transientStates.some((name) => isIn(state, name))) return;
      // A chart that has ended is gone; what it left behind is to be seen.
      if (state.status === 'active')
        await expect
          .poll(async () => compared(await chart()), `the chart after ${event.type}`)
          .toEqual(compared(state.value));
      const seen = Object.entries(expectations).filter(([name]) => isIn(state, name));
      if (seen.length === 0) throw new Error(`Nothing tells what is seen in ${JSON.stringify(state.value)}.`);
      for (const [, check] of seen) await check?.(state);
    });
    before = state;
  }
}

/** Titles of paths without the beginning that all have, numbered where they are the same. */
export function titled(paths: readonly Path[]): (readonly [string, Path])[] {
  const counts = new Map<string, number>();
  return paths.map((path) => {
    const title = titleOf({ ...path, steps: path.steps.slice(1) });
    const count = (counts.get(title) ?? 0) + 1;
    counts.set(title, count);
    return [count === 1 ? title : `${title} (${count})`, path] as const;
  });
}
