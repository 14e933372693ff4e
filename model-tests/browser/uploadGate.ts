/** Takes the uploads of a page instead of the server, as slowly as a path wants: nothing is read and nothing answered by itself. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Page } from '@playwright/test';

type Upload = { request: IncomingMessage; response: ServerResponse };

export class UploadGate {
  readonly #server: Server;
  readonly #url: string;
  #upload: Upload | null = null;
  #waiting: ((upload: Upload) => void) | null = null;

  private constructor(server: Server, url: string) {
    this.#server = server;
    this.#url = url;
  }

  static async open(): Promise<UploadGate> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    if (!address || typeof address === 'string') throw new Error('no port');
    const gate = new UploadGate(server, `http://127.0.0.1:${address.port}`);
    server.on('request', (request, response) => gate.#take({ request, response }));
    return gate;
  }

  /** Leads the page's uploads here; everything else goes where it went. */
  async stand(page: Page): Promise<void> {
    await page.route('**/v1/files', (route) =>
      route.request().method() === 'POST' ? route.continue({ url: `${this.#url}/v1/files` }) : route.fallback(),
    );
  }

  #take(upload: Upload): void {
    this.#upload = upload;
    this.#waiting?.(upload);
    this.#waiting = null;
  }

  /** The upload that is under way. */
  current(): Promise<Upload> {
    if (this.#upload) return Promise.resolve(this.#upload);
    return new Promise((resolve) => (this.#waiting = resolve));
  }

  /** Reads everything; the page then waits for the answer. */
  async read(): Promise<void> {
    const { request } = await this.current();
    if (request.complete) return;
    await new Promise<void>((resolve) => request.on('end', resolve).resume());
  }

  async answer(status: number, body: unknown): Promise<void> {
    await this.read();
    const { response } = await this.current();
    this.#upload = null;
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  /** What an earlier page had begun is no one's business any more. */
  forget(): void {
    this.#upload = null;
  }

  /** The connection breaks. */
  async drop(): Promise<void> {
    const { request } = await this.current();
    this.#upload = null;
    request.destroy();
  }

  /** Resolves once the page has given the upload up. */
  async aborted(): Promise<void> {
    const { request } = await this.current();
    this.#upload = null;
    if (request.destroyed) return;
    await new Promise<void>((resolve) => request.once('close', resolve).resume());
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
