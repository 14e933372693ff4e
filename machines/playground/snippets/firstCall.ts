import { shellWord } from './literals.ts';

/** The shortest call there is, as a command to paste: the models, which every key may list. */
export const firstCallCurl = ({ baseUrl, key }: { baseUrl: string; key: string }): string =>
  `curl ${shellWord(`${baseUrl}/v1/models`)} \\\n  -H ${shellWord(`Authorization: Bearer ${key}`)}`;
