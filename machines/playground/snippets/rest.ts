import type { TranscriptionCreate } from '#contract/transcriptions.ts';
import { jsLiteral, pythonLiteral, shellText, shellWord, type Json } from './literals.ts';

/** Data for a program that does what the REST API tab does. */
export type RestCall = {
  /** Base URL of the speech API, without `/v1`. */
  baseUrl: string;
  /** Environment variable with the key. */
  keyVariable: string;
  filename: string;
  /** The present request; the program replaces its file id. */
  payload: TranscriptionCreate;
};

/** Placeholder of the uploaded file's id in the shown request. */
export const FILE_ID = 'FILE_ID';

export function restRequest({ payload }: RestCall): string {
  return jsLiteral({ ...withoutFile(payload), file_id: FILE_ID });
}

/**
 * The calls as shell commands to paste one after the other (UXP-68). The comments have no apostrophes, because some
 * shells take a pasted comment for a command.
 */
export function restCurl({ baseUrl, keyVariable, filename, payload }: RestCall): string {
  const url = (path: string) => `"${shellText(`${baseUrl}/v1`)}${path}"`;
  const key = `-H "Authorization: Bearer $${keyVariable}"`;
  const body = shellWord(jsLiteral({ file_id: FILE_ID, ...withoutFile(payload) }));
  // curl ends an unquoted form value at a semicolon or comma.
  const file = shellWord(`file=@"${filename.replaceAll(/["\\]/g, String.raw`\$&`)}"`);
  const read = (field: string) => `jq -er '.${field} // error(tostring)'`;
  return `# Upload the recording. These calls need curl and jq.
FILE_ID=$(curl -sS ${url('/files')} \\
  ${key} \\
  -F ${file} | ${read('id')})

# Transcribe it.
ID=$(curl -sS ${url('/transcriptions')} \\
  ${key} \\
  -H 'Content-Type: application/json' \\
  -d ${body.replace(`"${FILE_ID}"`, `"'"$FILE_ID"'"`)} | ${read('id')})

# Read the text when it is ready.
while curl -sS ${url('/transcriptions/$ID')} ${key} |
  jq -e 'if .error_message then error(.error_message) else .status | IN("queued", "processing") end' > /dev/null
do sleep 1; done
curl -sS ${url('/transcriptions/$ID/transcript')} \\
  ${key} | ${read('text')}
`;
}

export function restPython({ baseUrl, keyVariable, filename, payload }: RestCall): string {
  return `# pip install requests
import os
import sys
import time

import requests

API = ${pythonLiteral(`${baseUrl}/v1`)}
session = requests.Session()
session.headers["Authorization"] = "Bearer " + os.environ[${pythonLiteral(keyVariable)}]


def call(method, path, **options):
    answer = session.request(method, API + path, **options)
    answer.raise_for_status()
    return answer.json()


with open(${pythonLiteral(filename)}, "rb") as recording:
    file_id = call("POST", "/files", files={"file": recording})["id"]

request = ${pythonLiteral(withoutFile(payload))}
transcription = call("POST", "/transcriptions", json={**request, "file_id": file_id})

while transcription["status"] in ("queued", "processing"):
    time.sleep(1)
    transcription = call("GET", f"/transcriptions/{transcription['id']}")

if transcription["status"] == "error":
    sys.exit(transcription["error_message"])
print(call("GET", f"/transcriptions/{transcription['id']}/transcript")["text"])
`;
}

export function restNode({ baseUrl, keyVariable, filename, payload }: RestCall): string {
  return `// Node 20 or newer; save it as transcribe.mjs.
import { openAsBlob } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

const API = ${jsLiteral(`${baseUrl}/v1`)};
const headers = { authorization: \`Bearer \${process.env.${keyVariable}}\` };

async function call(path, options = {}) {
  const answer = await fetch(API + path, { ...options, headers: { ...headers, ...options.headers } });
  if (!answer.ok) throw new Error(\`\${answer.status} \${await answer.text()}\`);
  return answer.json();
}

const form = new FormData();
form.append('file', await openAsBlob(${jsLiteral(filename)}), ${jsLiteral(filename)});
const file = await call('/files', { method: 'POST', body: form });

const request = ${jsLiteral(withoutFile(payload))};
let transcription = await call('/transcriptions', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ ...request, file_id: file.id }),
});

while (['queued', 'processing'].includes(transcription.status)) {
  await wait(1000);
  transcription = await call(\`/transcriptions/\${transcription.id}\`);
}

if (transcription.status === 'error') throw new Error(transcription.error_message);
const { text } = await call(\`/transcriptions/\${transcription.id}/transcript\`);
console.log(text);
`;
}

export function restBrowser({ baseUrl, payload }: RestCall): string {
  return `// For a page of your own. A key in a page can be read by everyone who opens it:
// let your server make the calls for anything but a trial.
const API = ${jsLiteral(`${baseUrl}/v1`)};

export async function transcribe(apiKey, file) {
  const call = async (path, options = {}) => {
    const answer = await fetch(API + path, { ...options, headers: { authorization: \`Bearer \${apiKey}\`, ...options.headers } });
    if (!answer.ok) throw new Error(\`\${answer.status} \${await answer.text()}\`);
    return answer.json();
  };

  const form = new FormData();
  form.append('file', file);
  const { id } = await call('/files', { method: 'POST', body: form });

  const request = ${jsLiteral(withoutFile(payload), '  ')};
  let transcription = await call('/transcriptions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...request, file_id: id }),
  });

  while (['queued', 'processing'].includes(transcription.status)) {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    transcription = await call(\`/transcriptions/\${transcription.id}\`);
  }

  if (transcription.status === 'error') throw new Error(transcription.error_message);
  const { text } = await call(\`/transcriptions/\${transcription.id}/transcript\`);
  return text;
}
`;
}

/** The request without its file and undefined fields. */
function withoutFile(payload: TranscriptionCreate): { readonly [key: string]: Json } {
  const { file_id: _, ...json }: { readonly [key: string]: Json } = JSON.parse(JSON.stringify(payload));
  return json;
}
