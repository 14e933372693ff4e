import { shellWord } from './literals.ts';

/** A first call to paste into a shell: it lists the models, which every key may do. */
export const firstCallCurl = ({ baseUrl, key }: { baseUrl: string; key: string }): string =>
  `curl ${shellWord(`${baseUrl}/v1/models`)} \\\n  -H ${shellWord(`Authorization: Bearer ${key}`)}`;
