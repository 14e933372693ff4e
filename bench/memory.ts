/** Memory and processor time of other processes. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { quantile } from './row.ts';

/** MiB. */
export function residentMemory(pid: number): number {
  const status = `/proc/${pid}/status`;
  if (existsSync(status)) return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(status, 'utf8'))?.[1]) / 1024;
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024;
}

/** A process and those that it has started, as far as the system tells. */
export function withChildren(pid: number): number[] {
  const tasks = `/proc/${pid}/task`;
  if (!existsSync(tasks)) return [pid];
  const children = readdirSync(tasks).flatMap((task) =>
    readFileSync(`${tasks}/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
  return [pid, ...children.flatMap(withChildren)];
}

const memoryOfAll = (pid: number): number => withChildren(pid).reduce((sum, one) => sum + residentMemory(one), 0);

/** Seconds of processor time that processes have taken; NaN where the system does not tell. */
export function processorTime(pids: readonly number[]): number {
  const TICKS = 100;
  return pids.reduce((sum, pid) => {
    const stat = `/proc/${pid}/stat`;
    if (!existsSync(stat)) return Number.NaN;
    // After the name, which may hold anything: the state is the first, user and system time are the 12th and 13th.
    const fields = readFileSync(stat, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return sum + (Number(fields[11]) + Number(fields[12])) / TICKS;
  }, 0);
}

/** Sockets that a process holds; undefined where the system does not tell. */
export function openSockets(pid: number): number | undefined {
  const folder = `/proc/${pid}/fd`;
  if (!existsSync(folder)) return undefined;
  return readdirSync(folder).filter((name) => {
    try {
      return readlinkSync(`${folder}/${name}`).startsWith('socket:');
    } catch {
      // Closed since the folder was listed.
      return false;
    }
  }).length;
}

export interface Curve {
  first: number;
  min: number;
  median: number;
  max: number;
  /** MiB a minute, by least squares. */
  slope: number;
}

function curveOf(samples: readonly { at: number; memory: number }[]): Curve {
  const values = samples.map(({ memory }) => memory);
  const mean = (numbers: readonly number[]): number => numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
  const minutes = samples.map(({ at }) => at / 60_000);
  const [middle, level] = [mean(minutes), mean(values)];
  const spread = minutes.reduce((sum, minute) => sum + (minute - middle) ** 2, 0);
  const slope =
    spread === 0
      ? 0
      : samples.reduce((sum, { memory }, index) => sum + ((minutes[index] ?? 0) - middle) * (memory - level), 0) /
        spread;
  return {
    first: values[0] ?? Number.NaN,
    min: Math.min(...values),
    median: quantile(values, 0.5),
    max: Math.max(...values),
    slope,
  };
}

/** Runs `work` and looks at the memory of a process and its children four times a second meanwhile. */
export async function watchMemory<T>(pid: number, work: () => Promise<T>): Promise<{ result: T; curve: Curve }> {
  const samples = [{ at: performance.now(), memory: memoryOfAll(pid) }];
  const timer = setInterval(() => samples.push({ at: performance.now(), memory: memoryOfAll(pid) }), 250);
  try {
    const result = await work();
    return { result, curve: curveOf(samples) };
  } finally {
    clearInterval(timer);
  }
}
