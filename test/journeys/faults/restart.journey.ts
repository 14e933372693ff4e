import { expect, SERVER_AWAY } from '../fixtures.ts';
import { expectMicrophoneReleased, killable, openPlayground } from './faults.ts';
import { alertOf, button, expectKept, expectStates, expectStopped, recordStates, runUntilFinal } from './live.ts';

killable.use({
  permissions: ['microphone'],
  // The stream of events breaks, too. (By itself a list of two would be taken for a value and its options.)
  allowed: [[SERVER_AWAY, /^WebSocket connection to '[^']+' failed/], { scope: 'test' }],
});

killable(
  'LIV-05 LIV-07: a server that dies ends a live session with an error; what was final stays, and Run says what is wrong @gate',
  async ({ console: page, account, server }) => {
    await openPlayground(page, account, 'real-time');
    await recordStates(page);
    const heard = await runUntilFinal(page);
    await server.stop('SIGKILL');
    await expect(alertOf(page)).toContainText(/WebSocket (closed with code 1006|error occurred)/);
    await expectStopped(page);
    await expectStates(page, 'capturing:running', 'error');
    await expectMicrophoneReleased(page, 1);
    await expectKept(page, heard);

    // Nobody there: the key for the next session cannot be had.
    await button(page, 'Run').click();
    await expect(alertOf(page)).toContainText('Something went wrong. Check your connection and try again.');
    await expectStopped(page);
    await expectMicrophoneReleased(page, 2);
    await expectKept(page, heard);
  },
);
