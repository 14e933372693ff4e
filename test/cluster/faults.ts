/** What happens to the cluster while its clients go on. Each resolves when all is well again. */
import type { Crowd } from './crowd.ts';
import type { House } from './house.ts';
import type { Member } from './member.ts';
import { until } from './program.ts';

const isApi = ({ name }: Member): boolean => name.startsWith('api');

/** Ends a process in order and starts it again. */
export async function restart({ balancer }: House, member: Member): Promise<void> {
  await member.drain();
  if (isApi(member)) await balancer.finds(member.name, 'DOWN');
  await member.start();
  if (isApi(member)) await balancer.finds(member.name, 'UP');
}

/** kill -9, and a start. */
export async function kill({ balancer }: House, crowd: Crowd, member: Member): Promise<void> {
  await (isApi(member) ? crowd.diary.excusing(() => member.kill()) : member.kill());
  if (isApi(member)) await balancer.finds(member.name, 'DOWN');
  await member.start();
  if (isApi(member)) await balancer.finds(member.name, 'UP');
}

/** All processes of the database stand still until both that answer are found to be away. */
export async function freeze({ postgres, balancer, api }: House): Promise<void> {
  postgres.freeze();
  try {
    for (const { name } of api) await balancer.finds(name, 'DOWN');
  } finally {
    postgres.thaw();
  }
  for (const { name } of api) await balancer.finds(name, 'UP');
}

/** The storage is slow, falls silent, and is cut off. @param use does something that needs it */
export async function storageAway(
  { ways: { storage }, balancer, api }: House,
  use: () => Promise<unknown>,
): Promise<void> {
  try {
    storage.slow(100);
    await use();
    storage.stall();
    for (const { name } of api) await balancer.finds(name, 'DOWN');
    storage.restore();
    for (const { name } of api) await balancer.finds(name, 'UP');
    storage.cut();
    for (const { name } of api) await balancer.finds(name, 'DOWN');
  } finally {
    storage.restore();
  }
  for (const { name } of api) await balancer.finds(name, 'UP');
}

/** The mail server is cut off, and slow when it is back. @param ask asks for a mail */
export async function mailAway(
  { ways: { mail }, mails: { received }, database: { db } }: House,
  ask: () => Promise<void>,
): Promise<void> {
  try {
    mail.cut();
    await ask();
    await until('a mail has failed', async () => {
      const failed = await db
        .selectFrom('jobs')
        .select('id')
        .where('kind', '=', 'mail')
        .where('last_error', 'is not', null)
        .execute();
      return failed.length > 0;
    });
    mail.restore();
    mail.slow(50);
    const before = received.length;
    await ask();
    await until('a mail comes', () => received.length > before);
  } finally {
    mail.restore();
  }
}
