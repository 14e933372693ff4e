/** Formats on their way through decoder and recognizer that `recognizer.test.ts` leaves out. */
import { expect, it } from 'vitest';
import { audio, recognizerFixture, SENTENCE } from './recognizer-fixture.ts';

const { sent, wordsOf } = recognizerFixture();

it.each([
  ['short.flac', SENTENCE],
  ['short.ogg', SENTENCE],
  ['formats/opus.webm', SENTENCE],
  // One second from the middle, and a telephone's codec.
  ['formats/pcm.aiff', 'bought a new'],
  ['formats/narrow.amr', 'my brother bought a new car'],
])('%s is understood', async (name, spoken) => {
  const done = await sent(await audio(name), name);
  expect(done).toMatchObject({ status: 'completed', error_type: null, error_message: null });
  expect(await wordsOf(done)).toContain(spoken);
});

it('of an MP3 with damage from its middle on what it holds is transcribed', async () => {
  const damaged = (await audio('short.mp3')).subarray(0, 12_000).fill(0x5a, 6000);
  const done = await sent(damaged, 'talk.mp3');
  expect(done).toMatchObject({ status: 'completed', error_type: null, audio_duration_ms: expect.closeTo(1000, -2) });
  expect(await wordsOf(done)).toMatch(/^my brother/);
});
