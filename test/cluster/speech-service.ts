/** A server of its own, with a recognizer, that does the recognizer's work for the others. */
import { openDatabase } from '#server/platform/db/open.ts';
import { freshDataDir } from '../server/template.ts';
import { Member } from './member.ts';
import { makeTenant } from './tenant.ts';

/** @param main of the built server @returns what the others are set to */
export async function startSpeechService(
  main: string,
): Promise<{ settings: Record<string, string>; stop: () => Promise<void> }> {
  const dataDir = await freshDataDir();
  const database = await openDatabase({ dataDir });
  const { key } = await makeTenant(database.db, { requests_per_minute: null });
  await database.close();
  const service = await Member.make({
    name: 'speech',
    main,
    settings: {
      DATA_DIR: dataDir,
      APERTIUM_DIR: 'none',
      LOG_LEVEL: 'warn',
      SPEECH_PRICES: 'none',
      SECRET_KEY: 's'.repeat(40),
    },
  });
  await service.start();
  return {
    settings: { SPEECH_UPSTREAM_URL: service.url, SPEECH_UPSTREAM_KEY: key },
    stop: () => service.kill(),
  };
}
