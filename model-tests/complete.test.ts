import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { setup } from 'xstate';
import { gaps } from './browser/complete.ts';
import { walk } from './model.ts';

const door = setup({
  types: {} as { events: { type: 'door.opened' } | { type: 'door.closed' } },
}).createMachine({
  id: 'door',
  initial: 'shut',
  states: {
    shut: { on: { 'door.opened': 'open' } },
    open: { on: { 'door.closed': 'shut' } },
  },
});
const { paths } = walk(door);
const nothing = () => Promise.resolve();
const executors = { 'xstate.init': nothing, 'door.opened': nothing, 'door.closed': nothing };
const expectations = { shut: nothing, open: nothing };

describe('path tests for a browser', () => {
  it('say which executor to add for an event', () => {
    const { 'door.closed': _closed, ...others } = executors;
    expect(gaps(door, paths, { executors: others, expectations })).toEqual([
      "Add an executor for the event 'door.closed': a path of 'door' takes it.",
    ]);
  });

  it('say which expectation to add for a state, unless nobody can look at it', () => {
    const { open: _open, ...others } = expectations;
    expect(gaps(door, paths, { executors, expectations: others })).toEqual([
      'Add an expectation for the state "open" of \'door\'.',
    ]);
    expect(gaps(door, paths, { executors, expectations: others, transientStates: ['open'] })).toEqual([]);
    expect(gaps(door, paths, { executors, expectations: others, transientEvents: ['door.opened'] })).toEqual([]);
  });

  it('say which event or state does not exist', () => {
    const misspelt = {
      executors: { ...executors, 'door.opend': nothing },
      expectations: { ...expectations, ajar: nothing },
    };
    expect(gaps(door, paths, misspelt)).toEqual([
      "The machine 'door' has no event 'door.opend'.",
      "The machine 'door' has no state 'ajar'.",
    ]);
  });

  it('are complete in every file, before a browser starts', async () => {
    const root = fileURLToPath(new URL('..', import.meta.url));
    const cli = fileURLToPath(new URL('../node_modules/@playwright/test/cli.js', import.meta.url));
    const { VITEST: _vitest, ...env } = process.env;
    const load = promisify(execFile)(process.execPath, [cli, 'test', '--list', 'model-tests/browser'], {
      cwd: root,
      env,
      maxBuffer: 16 * 1_048_576,
    });
    // What a file lacks is in the list's output.
    const listed = await load.then(
      ({ stdout }) => stdout,
      (error: unknown) => String(typeof error === 'object' && error !== null ? Reflect.get(error, 'stdout') : error),
    );
    expect(listed).toMatch(/Total: [1-9]\d* tests in [1-9]\d* files/);
    expect(listed).not.toContain('Error:');
  }, 240_000);
});
