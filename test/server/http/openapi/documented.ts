/** Holds answers of a server against the documents that it shows. */
import { expect } from 'vitest';
import type { OpenApiDocument, Operation } from '#server/http/openapi/document.ts';
import { findings } from './json-schema.ts';

interface Described {
  operation: Operation;
  schemas: OpenApiDocument['components']['schemas'];
}

export interface Documented {
  described(id: string): Described;
  /** The status of the answer is listed, its body fits, and nothing in it is left out there. @returns the body */
  fits(id: string, answer: Response): Promise<Record<string, unknown>>;
}

export async function readDocuments(url: string): Promise<Documented> {
  const documents: OpenApiDocument[] = await Promise.all(
    ['main', 'speech'].map(async (name) => (await fetch(`${url}/api/docs/openapi/${name}.json`)).json()),
  );
  const described = (id: string): Described => {
    for (const { paths, webhooks, components } of documents) {
      const operation = Object.values({ ...paths, ...webhooks })
        .flatMap((item) => Object.values(item))
        .find(({ operationId }) => operationId === id);
      if (operation) return { operation, schemas: components.schemas };
    }
    throw new Error(`No operation ${id}`);
  };
  return {
    described,
    async fits(id, answer) {
      const { status } = answer;
      const text = await answer.text();
      const { operation, schemas } = described(id);
      const response = operation.responses[status];
      expect([id, status, Object.keys(operation.responses)]).toEqual([
        id,
        status,
        expect.arrayContaining([String(status)]),
      ]);
      const content = response?.content?.['application/json'];
      if (response?.content?.['*/*'] !== undefined) return {};
      // No content is an empty object to the caller.
      expect([id, status, text === '', answer.headers.get('content-type')?.split(';')[0]]).toEqual([
        id,
        status,
        content === undefined,
        content && 'application/json',
      ]);
      const body: Record<string, unknown> = JSON.parse(text || '{}');
      expect(findings(body, content?.schema, schemas, `${id} ${status}`)).toEqual([]);
      return body;
    },
  };
}
