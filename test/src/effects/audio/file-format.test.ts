import { openAsBlob } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { describe, expect, it, vi } from 'vitest';
import { beginsAsRecording, readsAsRecording } from '../../../../src/effects/audio/fileFormat.ts';

const FORMATS = new URL('../../../audio/formats/', import.meta.url);

async function beginningOf(name: string): Promise<Uint8Array> {
  const file = await open(new URL(name, FORMATS));
  try {
    return (await file.read(new Uint8Array(16), 0, 16)).buffer;
  } finally {
    await file.close();
  }
}

describe('ASY-18: what the browser cannot play the server may still read', async () => {
  const plain = ['mp3', 'flac', 'ogg', 'wav'].map((format) => `../short.${format}`);
  it.each([...(await readdir(FORMATS)), ...plain])('%s begins as a recording', async (name) => {
    expect(beginsAsRecording(await beginningOf(name))).toBe(true);
  });
  // The last one is text in UTF-16, and no frame of an MP3.
  const others = ['Dear reader,', '%PDF-1.7', '<!doctype html>', '{"a":1}', '\u0089PNG', 'PK\u0003\u0004', '', 'ÿþD\0'];
  it.each(others)('%j does not', (text) => {
    expect(beginsAsRecording(Buffer.from(text, 'latin1'))).toBe(false);
  });

  const sound = async (from: number, to?: number) =>
    (await openAsBlob(new URL('../short.wav', FORMATS))).slice(from, to);
  it('reads no more than its beginning, also where a server sends all of it', async () => {
    const { signal } = new AbortController();
    const get = vi.fn<typeof fetch>(async () => new Response(await sound(0, 16), { status: 206 }));
    expect(await readsAsRecording('/f1', signal, get)).toBe(true);
    expect(get).toHaveBeenCalledExactlyOnceWith('/f1', { headers: { Range: 'bytes=0-15' }, signal });
    expect(await readsAsRecording('/f1', signal, async () => new Response(await sound(0)))).toBe(true);
    expect(await readsAsRecording('/f1', signal, async () => new Response('Dear reader'))).toBe(false);
    await expect(readsAsRecording('/f1', signal, async () => new Response('gone', { status: 404 }))).rejects.toThrow(
      'The file could not be read.',
    );
  });
});
