import { expect, SERVER_AWAY } from '../fixtures.ts';
import { expectMicrophoneReleased, killable, openPlayground } from './faults.ts';
import { alertOf, button, expectKept, expectStates, expectStopped, recordStates, runUntilFinal } from './live.ts';

// The stream of events breaks, and is opened again while the server is away.
killable.use({
  permissions: ['microphone'],
  allowed: [SERVER_AWAY],
});

killable(
  'ERR-05 LIV-07: a server that is stopped says so to a live session; what was final stays, and a new one runs after the restart',
  async ({ console: page, account, server }) => {
    await openPlayground(page, account, 'real-time');
    await recordStates(page);
    const heard = await runUntilFinal(page);
    await Promise.all([
      server.stop('SIGTERM'),
      expect(alertOf(page)).toContainText('This request cannot be continued. Click Record button again to continue.'),
    ]);
    await expectStopped(page);
    await expectStates(page, 'capturing:running', 'error');
    await expectMicrophoneReleased(page, 1);
    await expectKept(page, heard);

    await server.start();
    await runUntilFinal(page);
    await expect(alertOf(page)).toBeHidden();
    await expectKept(page, heard);
    await button(page, 'Stop').click();
    await expectStopped(page);
    await expectMicrophoneReleased(page, 2);
  },
);

killable.describe('without a server', () => {
  killable.use({
    // By itself a list of two would be taken for a value and its options.
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
});
