import { textOf, viewOf } from './bytes.ts';
import { BEGINNING_SECONDS } from './codec.ts';
import { children, unsigned, variableAt } from './ebml.ts';
import { oggCodec } from './ogg-pages.ts';
import type { Source } from './declared-source.ts';

const NS_PER_SECOND = 1e9;
const SEGMENT = 0x18538067;
const INFO = 0x1549a966;
const CLUSTER = 0x1f43b675;
const TIMESTAMP_SCALE = 0x2ad7b1;
const DURATION = 0x4489;
const INFO_MAX = 1 << 16;
const ELEMENTS_MAX = 100;

/**
 * Length of WebM and Matroska in seconds, from the segment's info element; null if it has none, as in live recordings.
 */
export async function matroskaLength(source: Source, start: number): Promise<number | null> {
  let position = start;
  for (let count = 0; count < ELEMENTS_MAX; count += 1) {
    const head = await source.read(position, 12);
    const idBytes = Math.clz32(head[0] ?? 0) - 23;
    const size = idBytes > 4 ? null : variableAt(head, idBytes);
    if (size === null) return null;
    const id = unsigned(head.subarray(0, idBytes));
    if (id === CLUSTER) return null;
    if (id === INFO) return durationIn(await source.read(position + size.end, Math.min(size.value, INFO_MAX)));
    // Enter the segment instead of skipping it.
    position += size.end + (id === SEGMENT ? 0 : size.value);
    if (!Number.isFinite(position)) return null;
  }
  return null;
}

function durationIn(info: Uint8Array): number | null {
  const fields = new Map(Array.from(children(info), ({ id, content }) => [id, content]));
  const duration = fields.get(DURATION);
  if (duration?.length !== 4 && duration?.length !== 8) return null;
  const ticks = duration.length === 4 ? viewOf(duration).getFloat32(0) : viewOf(duration).getFloat64(0);
  const scale = fields.get(TIMESTAMP_SCALE);
  return (ticks * (scale === undefined ? 1_000_000 : unsigned(scale))) / NS_PER_SECOND;
}

const PAGE_HEAD_BYTES = 27;
/** The longest page, header included. */
const PAGE_MAX = 65_307;
/** The largest number of header pages before the first sound; comments may hold pictures. */
const HEADER_PAGES_MAX = 300;
const NO_POSITION = 0xffff_ffff_ffff_ffffn;

interface OggPage {
  serial: number;
  granule: bigint;
  next: number;
}

function pageAt(head: Uint8Array, position: number): OggPage | null {
  if (head.length < PAGE_HEAD_BYTES || textOf(head, 0, 4) !== 'OggS') return null;
  const view = viewOf(head);
  const segments = head.subarray(PAGE_HEAD_BYTES, PAGE_HEAD_BYTES + (head[26] ?? 0));
  return {
    granule: view.getBigUint64(6, true),
    serial: view.getUint32(14, true),
    next: position + PAGE_HEAD_BYTES + segments.length + segments.reduce((sum, length) => sum + length, 0),
  };
}

/** Length of Ogg in seconds, from the positions of its first and last page of sound; null if it has several streams. */
export async function oggLength(source: Source, start: number): Promise<number | null> {
  const head = await source.read(start, PAGE_HEAD_BYTES + 255 + 64);
  const opening = pageAt(head, start);
  const rate = opening && oggCodec(head.subarray(PAGE_HEAD_BYTES + (head[26] ?? 0)))?.rate;
  if (!opening || !rate) return null;
  const first = await firstPosition(source, opening);
  const last = first === null ? null : await lastPosition(source, opening.serial);
  if (first === null || last === null) return null;
  const from = Number(first) / rate;
  return Number(last) / rate - (from < BEGINNING_SECONDS ? 0 : from);
}

async function firstPosition(source: Source, { serial, next }: OggPage): Promise<bigint | null> {
  let position = next;
  for (let count = 0; count < HEADER_PAGES_MAX; count += 1) {
    const page = pageAt(await source.read(position, PAGE_HEAD_BYTES + 255), position);
    if (page === null || page.serial !== serial) return null;
    if (page.granule !== 0n && page.granule !== NO_POSITION) return page.granule;
    position = page.next;
  }
  return null;
}

async function lastPosition(source: Source, serial: number): Promise<bigint | null> {
  const from = Math.max(0, source.size - 2 * PAGE_MAX);
  const tail = await source.read(from, source.size - from);
  const bytes = Buffer.from(tail.buffer, tail.byteOffset, tail.length);
  for (let at = bytes.lastIndexOf('OggS'); at >= 0; at = at === 0 ? -1 : bytes.lastIndexOf('OggS', at - 1)) {
    const page = pageAt(tail.subarray(at), at);
    if (page === null || page.granule === NO_POSITION) continue;
    return page.serial === serial ? page.granule : null;
  }
  return null;
}
