import type { CodeLanguage } from '../codePanel/machine.ts';
import { liveBrowser, liveNode, livePython, liveRequest, type LiveCall } from './live.ts';
import { restBrowser, restCurl, restNode, restPython, restRequest, type RestCall } from './rest.ts';

/** A program, or the request itself, that does what the settings say. */
export type Snippet = { readonly language: CodeLanguage; readonly title: string; readonly code: string };

/** The REST API tab as code. */
export const restSnippets = (call: RestCall): Snippet[] => [
  { language: 'curl', title: 'cURL', code: restCurl(call) },
  { language: 'python', title: 'Python', code: restPython(call) },
  { language: 'node', title: 'Node', code: restNode(call) },
  { language: 'browser', title: 'Browser', code: restBrowser(call) },
  { language: 'json', title: 'JSON', code: restRequest(call) },
];

/** The WebSocket API tab as code; a socket is nothing for cURL. */
export const liveSnippets = (call: LiveCall): Snippet[] => [
  { language: 'python', title: 'Python', code: livePython(call) },
  { language: 'node', title: 'Node', code: liveNode(call) },
  { language: 'browser', title: 'Browser', code: liveBrowser(call) },
  { language: 'json', title: 'JSON', code: liveRequest(call) },
];

/** The environment variable in which the programs expect a key: `parlance` gives PARLANCE_API_KEY. */
export const keyVariableOf = (product: string): string => `${product.toUpperCase().replaceAll('-', '_')}_API_KEY`;
