/** Codecs that decode.test.ts hears in one container, in the others. */
import { it, vi } from 'vitest';
import { audioFile, decode, expectSecond } from './decode-fixtures.ts';

vi.setConfig({ testTimeout: 60_000 });

it.each(['mp3.wav', 'flac.oga', 'flac.mka', 'mp3.mka', 'vorbis.webm', 'video.webm'])(
  '%s holds the second from 0.5 s on',
  async (name) => expectSecond(await decode(audioFile(`formats/${name}`))),
);
