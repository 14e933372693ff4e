import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { listen } from '#server/http/listen.ts';
import { Closing } from '#server/platform/closing.ts';
import { startTestServer } from '../harness.ts';

it('OPS-53: a connection that waits for its first request, as browsers keep one ready, delays no closing', async () => {
  const { services, close } = await startTestServer();
  onTestFinished(close);
  const closing = new Closing(services.log, { closeMs: 600_000 });
  const { server, port } = await listen({ ...services, closing }, createServer());
  const connected = once(server, 'connection');
  const ready = connect(port, services.config.host);
  await connected;
  const closed = once(ready.resume(), 'close');
  await closing.run();
  expect(await closed).toEqual([false]);
});
