/** Makes the licence notices of a release, and refuses packages whose licence it could not comply with. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from '../setup.mjs';

/** Licences that allow distribution in any form, with their text. */
const FREE = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'OFL-1.1',
  'PostgreSQL',
  'Unlicense',
  'Zlib',
]);
/** Licences that allow distribution as separate files, which the receiver can replace. */
const REPLACEABLE = new Set(['LGPL-2.1-only', 'LGPL-3.0-or-later']);

const XIPH = 'Copyright (c) 1994-2023 Xiph.Org Foundation';
const HALSALL = 'Copyright (c) 2021-2023 Ethan Halsall';
const PUFF = 'puff, which unpacks the WebAssembly: Copyright (c) 2002-2013 Mark Adler (zlib licence)';
const MICROSOFT = [
  'Copyright (c) 2018 - present Microsoft Corporation',
  'MIT',
  'What is compiled into it is listed, with its licences, in ThirdPartyNotices.txt of https://github.com/microsoft/onnxruntime.',
];
/**
 * Notices for packages that lack the text of their licence, or have others compiled in. `like`: a package of the same
 * project that has the text. `text`: lines after the package's own; the name of a licence stands for its text.
 */
const ADDED = {
  '@aws-sdk/credential-provider-http': { like: '@aws-sdk/client-s3' },
  '@aws-sdk/credential-provider-login': { like: '@aws-sdk/client-s3' },
  '@aws-sdk/nested-clients': { like: '@aws-sdk/client-s3' },
  '@node-rs/argon2-linux-x64-gnu': { like: '@node-rs/argon2' },
  '@node-rs/argon2-linux-arm64-gnu': { like: '@node-rs/argon2' },
  '@ricky0123/vad-web': {
    text: [
      'Copyright (c) 2022-present ricky0123',
      'ISC',
      'The model silero_vad_v5.onnx:',
      'Copyright (c) 2020-present Silero Team',
      'MIT',
    ],
  },
  '@wasm-audio-decoders/common': { text: [HALSALL, 'MIT', PUFF] },
  '@wasm-audio-decoders/flac': { text: [HALSALL, 'MIT', 'libFLAC and libogg:', XIPH, 'BSD-3-Clause'] },
  '@wasm-audio-decoders/ogg-vorbis': { text: [HALSALL, 'MIT', 'libvorbis and libogg:', XIPH, 'BSD-3-Clause'] },
  '@wasm-audio-decoders/opus-ml': { text: [HALSALL, 'MIT', 'libopus:', XIPH, 'BSD-3-Clause'] },
  'codec-parser': {
    text: ['Its source is its files here, and https://github.com/eshaz/codec-parser.', 'GPL-3'],
  },
  'mpg123-decoder': {
    licence: 'MIT AND LGPL-2.1-only',
    text: [
      HALSALL,
      'MIT',
      'libmpg123, compiled into it: Copyright (c) 1995-2023 by Michael Hipp and others, free software under the terms of the LGPL v2.1. Its source: https://www.mpg123.de and https://github.com/eshaz/wasm-audio-decoders, which has the way to compile it.',
      'LGPL-2.1',
    ],
  },
  'onnxruntime-common': { text: MICROSOFT.slice(0, 2) },
  'onnxruntime-node': { text: MICROSOFT },
  'onnxruntime-web': { text: MICROSOFT },
  'opus-decoder': { text: [HALSALL, 'MIT', 'libopus:', XIPH, 'BSD-3-Clause'] },
  'pg-types': { like: 'pg' },
  pgpass: { text: ['Copyright (c) 2013-2016 Hannes Hörl', 'MIT'] },
};

const textFile = (name) => fileURLToPath(new URL(`licences/${name}.txt`, import.meta.url));

/** The licence in package.json, also in older forms. */
const nameOf = ({ license, licenses }) =>
  typeof license === 'string'
    ? license
    : [license ?? licenses ?? []]
        .flat()
        .map(({ type }) => type)
        .join(' OR ');

/** Whether the allowed licences satisfy an expression such as `(MIT OR GPL-2.0) AND ISC`. */
function isAllowed(expression, allowed) {
  return expression
    .replaceAll(/[()]/g, '')
    .split(' AND ')
    .every((part) => part.split(' OR ').some((name) => allowed.has(name.trim())));
}

const ownTexts = (folder) =>
  readdirSync(folder)
    .filter((file) => /^(?:licen[cs]e|copying|notice)(?![a-z])/i.test(file))
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8'));

/**
 * The notices of packages, sorted by name.
 * @param {{ name: string, isReplaceable: boolean, folder?: string }[]} packages `isReplaceable`: has files of its own
 * @throws Error that names every package without a text, or with a licence we cannot comply with
 */
export function noticesOf(packages) {
  const wrong = [];
  const notices = packages
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, isReplaceable, folder = join(root, 'node_modules', name) }) => {
      const about = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      const { licence = nameOf(about), like, text = [] } = ADDED[name] ?? {};
      const allowed = isReplaceable ? new Set([...FREE, ...REPLACEABLE]) : FREE;
      if (!isAllowed(licence, allowed)) wrong.push(`${name}: ${licence || 'no licence'} cannot be passed on`);
      const texts = [
        ...ownTexts(folder),
        ...(like === undefined ? [] : ownTexts(join(root, 'node_modules', like))),
        ...text.map((line) => (existsSync(textFile(line)) ? readFileSync(textFile(line), 'utf8') : line)),
      ];
      if (texts.length === 0) wrong.push(`${name}: no text of its licence (${licence})`);
      return `${name} ${about.version} (${licence})\n\n${texts.map((part) => part.trim()).join('\n\n')}\n`;
    });
  if (wrong.length > 0) throw new Error(`This release would break licences:\n${wrong.join('\n')}`);
  const line = `\n${'='.repeat(80)}\n\n`;
  return `Parlance Console contains these packages of others, under their own licences.\n${line}${notices.join(line)}`;
}
