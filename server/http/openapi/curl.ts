import { CSRF_COOKIE, CSRF_HEADER } from '#contract/session.ts';
import type { Operation } from './document.ts';

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
const placeholder = (name: string): string => name.replaceAll(/\W/g, '_').toUpperCase();

/** The arguments of each security scheme, with a placeholder for the secret. */
const CREDENTIALS: Record<string, string> = {
  apiKey: `-H ${quoted('Authorization: Bearer YOUR_API_KEY')}`,
  accessToken: `-H ${quoted('Authorization: Bearer YOUR_ACCESS_TOKEN')}`,
  csrfHeader: `-H ${quoted(`${CSRF_HEADER}: CSRF_TOKEN`)}`,
  csrfCookie: `-b ${quoted(`${CSRF_COOKIE}=CSRF_TOKEN`)}`,
};

/** A call as a shell command. @param server origin without trailing slash */
export function curlOf(server: string, path: string, method: string, operation: Operation): string {
  const required = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query' && parameter.required);
  const query = required.map(({ name }) => `${name}=${placeholder(name)}`).join('&');
  const url = server + path.replaceAll(/\{(\w+)\}/g, (_, name: string) => placeholder(name)) + (query && `?${query}`);
  const { 'application/json': json, 'multipart/form-data': form } = operation.requestBody?.content ?? {};
  const [fileField] = form?.schema?.required ?? [];
  return [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}${quoted(url)}`,
    ...Object.keys(operation.security[0] ?? {}).map((scheme) => CREDENTIALS[scheme] ?? ''),
    ...(json
      ? [`-H ${quoted('Content-Type: application/json')}`, `-d ${quoted(JSON.stringify(json.example ?? {}))}`]
      : []),
    ...(fileField === undefined ? [] : [`-F ${quoted(`${fileField}=@recording.wav`)}`]),
  ].join(' \\\n  ');
}
