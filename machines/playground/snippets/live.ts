import type { LiveSessionConfig } from '../settings/types.ts';
import { jsLiteral, pythonLiteral, type Json } from './literals.ts';

/** Data for a program that does what the WebSocket API tab does. */
export type LiveCall = {
  /** Full URL of the socket. */
  socketUrl: string;
  /** Base URL of the speech API, without `/v1`. */
  baseUrl: string;
  keyVariable: string;
  filename: string;
  config: LiveSessionConfig;
};

/** Placeholder of the key in the shown request. */
const KEY = 'API_KEY';

/** The first frame; `auto` lets the server detect the format. Without `key`, the program adds it. */
const startRequest = (config: LiveSessionConfig, key?: string): { readonly [key: string]: Json } => {
  const json: { readonly [key: string]: Json } = JSON.parse(
    JSON.stringify({ api_key: key, audio_format: 'auto', ...config }),
  );
  return json;
};

export function liveRequest({ config }: LiveCall): string {
  return jsLiteral(startRequest(config, KEY));
}

export function livePython({ socketUrl, keyVariable, filename, config }: LiveCall): string {
  return `# pip install websockets
import asyncio
import json
import os

import websockets

request = ${pythonLiteral(startRequest(config))}
request["api_key"] = os.environ[${pythonLiteral(keyVariable)}]


async def send(socket):
    with open(${pythonLiteral(filename)}, "rb") as recording:
        while chunk := recording.read(3840):
            await socket.send(chunk)
            await asyncio.sleep(0.12)  # As fast as it would be spoken.
    await socket.send("")  # No more audio.


async def main():
    async with websockets.connect(${pythonLiteral(socketUrl)}) as socket:
        await socket.send(json.dumps(request))
        sending = asyncio.create_task(send(socket))
        async for message in socket:
            result = json.loads(message)
            if "error_message" in result:
                raise SystemExit(result["error_message"])
            final = [token["text"] for token in result["tokens"] if token["is_final"]]
            print("".join(text for text in final if text not in ("<end>", "<fin>")), end="", flush=True)
            if result.get("finished"):
                break
        await sending
    print()


asyncio.run(main())
`;
}

export function liveNode({ socketUrl, keyVariable, filename, config }: LiveCall): string {
  return `// npm install ws; save it as live.mjs.
import { createReadStream } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import WebSocket from 'ws';

const request = ${jsLiteral(startRequest(config))};
request.api_key = process.env.${keyVariable};

const socket = new WebSocket(${jsLiteral(socketUrl)});
socket.on('open', async () => {
  socket.send(JSON.stringify(request));
  for await (const chunk of createReadStream(${jsLiteral(filename)}, { highWaterMark: 3840 })) {
    socket.send(chunk);
    await wait(120); // As fast as it would be spoken.
  }
  socket.send(''); // No more audio.
});
socket.on('message', (data) => {
  const result = JSON.parse(data);
  if (result.error_message) throw new Error(result.error_message);
  for (const { text, is_final } of result.tokens) {
    if (is_final && !['<end>', '<fin>'].includes(text)) process.stdout.write(text);
  }
  if (result.finished) process.stdout.write('\\n');
});
`;
}

export function liveBrowser({ socketUrl, baseUrl, config }: LiveCall): string {
  return `// For a page of your own. Fetch the key from your server, which asks for one with
// POST ${baseUrl}/v1/auth/temporary-api-key {"usage_type": "transcribe_websocket", "expires_in_seconds": 60}
export async function listen(temporaryKey, onTokens) {
  const request = ${jsLiteral(startRequest(config), '  ')};
  request.api_key = temporaryKey;

  const media = await navigator.mediaDevices.getUserMedia({ audio: true });
  const recorder = new MediaRecorder(media);
  const socket = new WebSocket(${jsLiteral(socketUrl)});
  const closed = new Promise((resolve, reject) => {
    socket.onclose = ({ code }) => (code === 1000 ? resolve() : reject(new Error(\`The socket closed with \${code}.\`)));
    socket.onmessage = ({ data }) => {
      const result = JSON.parse(data);
      if (result.error_message) reject(new Error(result.error_message));
      else onTokens(result.tokens.filter(({ text }) => !['<end>', '<fin>'].includes(text)));
    };
  });
  let sending = Promise.resolve();
  recorder.ondataavailable = ({ data }) => {
    sending = sending.then(async () => socket.send(await data.arrayBuffer()));
  };
  socket.onopen = () => {
    socket.send(JSON.stringify(request));
    recorder.start(120);
  };
  const stop = async () => {
    const stopped = new Promise((resolve) => (recorder.onstop = resolve));
    recorder.stop();
    for (const track of media.getTracks()) track.stop();
    await stopped;
    await sending;
    socket.send(''); // No more audio.
    await closed;
  };
  return { stop, closed };
}
`;
}
