/** Clients that work without a pause: recordings, streams, and one after the other of what people do. */
import { setTimeout as wait } from 'node:timers/promises';
import { Client, Diary } from './client.ts';
import type { House } from './house.ts';
import { until } from './program.ts';
import { speak, type StreamTold } from './streams.ts';
import type { Tenant } from './tenant.ts';
import { Acknowledged, mail, payment, recording, revocation, signOut, upload, type Visitor } from './works.ts';

/** Between two streams of a lane that was sent away. */
const AGAIN_MS = 1000;

/** Numbers from 0 to 1 that a seed repeats (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

export class Crowd {
  readonly diary = new Diary();
  readonly acknowledged = new Acknowledged();
  readonly streams: StreamTold[] = [];
  readonly tenant: Tenant;
  readonly #url: string;
  readonly #visitor: Visitor;
  readonly #lanes = new Map<string, { rounds: number; end: Promise<void> }>();
  /** What was asked for beside the lanes. */
  readonly #more: Promise<void>[] = [];
  #isOver = false;

  constructor({ url }: Pick<House, 'url'>, tenant: Tenant, seed: number) {
    this.#url = url;
    this.tenant = tenant;
    const { diary, acknowledged } = this;
    const visitor: Visitor = { client: new Client(url, diary), diary, acknowledged, tenant };
    this.#visitor = visitor;
    const random = randomFrom(seed);
    this.#begin('recordings', () => recording(visitor));
    this.#begin('streams', () => this.#speak());
    // Each of them before one of them comes again.
    let people: ((visitor: Visitor) => Promise<void>)[] = [];
    this.#begin('people', async () => {
      if (people.length === 0) people = [revocation, signOut, payment, mail];
      const [next = mail] = people.splice(Math.floor(random() * people.length), 1);
      await next(visitor);
    });
  }

  /** Somebody uploads one more recording. */
  upload(): Promise<unknown> {
    return upload(this.#visitor);
  }

  /** Somebody has one more recording transcribed. Resolves when that is done, or has failed. */
  record(): Promise<void> {
    const done = this.#try('recordings', () => recording(this.#visitor));
    this.#more.push(done);
    return done;
  }

  /** Somebody asks for one more mail. */
  askForMail(): Promise<void> {
    return mail(this.#visitor);
  }

  /** Waits until each lane has begun and ended something from now on: whatever happened before is over for it. */
  async goesOn(): Promise<void> {
    const before = new Map([...this.#lanes].map(([name, { rounds }]) => [name, rounds]));
    await until('all clients go on', () =>
      [...this.#lanes].every(([name, { rounds }]) => rounds >= (before.get(name) ?? 0) + 2),
    );
  }

  /** Each ends what it is about. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all([...[...this.#lanes.values()].map(({ end }) => end), ...this.#more]);
  }

  #begin(name: string, round: () => Promise<void>): void {
    const lane = { rounds: 0, end: Promise.resolve() };
    this.#lanes.set(name, lane);
    const go = async (): Promise<void> => {
      while (!this.#isOver) {
        await this.#try(name, round);
        lane.rounds += 1;
      }
    };
    lane.end = go();
  }

  async #try(name: string, round: () => Promise<void>): Promise<void> {
    try {
      await round();
    } catch (error) {
      this.diary.faults.push(`${name}: ${String(error)}`);
    }
  }

  async #speak(): Promise<void> {
    const { end } = await this.speak();
    if (end === 'again') await wait(AGAIN_MS);
  }

  /** One stream, as `speak` has it. */
  async speak(
    ...[speech]: Parameters<typeof speak> extends [string, string, ...infer More] ? More : []
  ): Promise<StreamTold> {
    const told = await speak(this.#url, this.tenant.key, speech);
    this.streams.push(told);
    const { end, from, to, reference } = told;
    const isExcused = end === 'cut' && this.diary.isExcused(from);
    if (end !== 'finished' && end !== 'again' && !isExcused)
      this.diary.faults.push(`stream ${reference}: ${end} after ${Math.round(to - from)} ms`);
    return told;
  }
}
