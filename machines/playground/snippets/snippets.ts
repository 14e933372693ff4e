import type { CodeLanguage } from '../codePanel/machine.ts';
import { liveBrowser, liveNode, livePython, liveRequest, type LiveCall } from './live.ts';
import { restBrowser, restCurl, restNode, restPython, restRequest, type RestCall } from './rest.ts';

/** The present settings as a program or as the request itself. */
export type Snippet = { readonly language: CodeLanguage; readonly title: string; readonly code: string };

/** The REST API tab as code. */
export const restSnippets = (call: RestCall): Snippet[] => [
  { language: 'curl', title: 'cURL', code: restCurl(call) },
  { language: 'python', title: 'Python', code: restPython(call) },
  { language: 'node', title: 'Node', code: restNode(call) },
  { language: 'browser', title: 'Browser', code: restBrowser(call) },
  { language: 'json', title: 'JSON', code: restRequest(call) },
];

/** The WebSocket API tab as code; cURL has no sockets. */
export const liveSnippets = (call: LiveCall): Snippet[] => [
  { language: 'python', title: 'Python', code: livePython(call) },
  { language: 'node', title: 'Node', code: liveNode(call) },
  { language: 'browser', title: 'Browser', code: liveBrowser(call) },
  { language: 'json', title: 'JSON', code: liveRequest(call) },
];

/** Environment variable for the key in programs: `parlance` gives PARLANCE_API_KEY. */
export const keyVariableOf = (product: string): string => `${product.toUpperCase().replaceAll('-', '_')}_API_KEY`;
