import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { extname, join, normalize, sep } from 'node:path';
import { Readable } from 'node:stream';
import type { Context } from 'hono';
import type { AppEnv } from './env.ts';

/** Types of the files that are served; others in the folder are not. */
const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
  '.wav': 'audio/wav',
  '.map': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
};
const ENCODINGS = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const;

export interface AssetFile {
  path: string;
  size: number;
  type: string;
}

/** Whether a path has the extension of a served file. */
export function hasAssetName(path: string): boolean {
  return extname(path) in TYPES;
}

/** The file at a decoded URL path; undefined if it does not exist, is hidden, or is outside the folder. */
export async function fileOf(folder: string, urlPath: string): Promise<AssetFile | undefined> {
  const type = TYPES[extname(urlPath)];
  const relative = normalize(urlPath);
  if (type === undefined || relative.includes('\0') || relative.split(sep).some((part) => part.startsWith('.')))
    return undefined;
  const path = join(folder, relative);
  const size = await sizeOf(path);
  return size === undefined ? undefined : { path, size, type };
}

/** What the system says of a path where there is no file. Other errors are faults of the disk or the installation. */
const NO_FILE = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG']);

/** @throws if the file cannot be read: a 404 would tell the console that the server has another build */
async function sizeOf(path: string): Promise<number | undefined> {
  try {
    const found = await stat(path);
    return found.isFile() ? found.size : undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error && NO_FILE.has(String(error.code))) return undefined;
    throw error;
  }
}

/** Sends a file, or the compressed file beside it if the browser accepts that. */
export async function sendFile(c: Context<AppEnv>, file: AssetFile, cacheControl: string): Promise<Response> {
  c.header('content-type', file.type);
  c.header('cache-control', cacheControl);
  c.header('vary', 'accept-encoding');
  // For workers, which run under the policy of their own file.
  c.header('content-security-policy', "default-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'");
  let { path, size } = file;
  for (const { name, suffix } of ENCODINGS) {
    if (!accepts(c.req.header('accept-encoding') ?? '', name)) continue;
    const compressed = await sizeOf(path + suffix);
    if (compressed === undefined) continue;
    c.header('content-encoding', name);
    path += suffix;
    size = compressed;
    break;
  }
  c.header('content-length', String(size));
  if (c.req.method === 'HEAD') return c.body(null);
  return c.body(webStream(path));
}

function webStream(path: string): ReadableStream<Uint8Array> {
  // Node's stream type and the web's differ only in name.
  return Readable.toWeb(createReadStream(path)) as ReadableStream<Uint8Array>;
}

function accepts(header: string, encoding: string): boolean {
  return header.split(',').some((part) => {
    const [name, ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    return name === encoding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}
