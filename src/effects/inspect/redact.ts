/** Copies data of charts for an inspector: plain, without secrets, cut to a readable size. */

export type Plain = null | boolean | number | string | Plain[] | { [key: string]: Plain };

const REDACTED = '[redacted]';
const DEPTH_MAX = 8;
const ITEMS_MAX = 50;
const TEXT_MAX = 2000;

/** Names of secret fields, in lower case, without hyphens and underscores. */
const SECRETS = new Set(
  `access refresh token accesstoken refreshtoken jwt bearer authorization credential credentials apikey temporaryapikey secret clientsecret
  password newpassword oldpassword currentpassword confirmpassword passwordagain csrf csrftoken csrfmiddlewaretoken xcsrftoken cookie
  signuptoken`.split(/\s+/),
);
/** Keys that name a form's field: `{ name: 'password', value: '…' }`. */
const FIELD_NAMES = ['name', 'field', 'key'];

const isSecretName = (name: string) => SECRETS.has(name.toLowerCase().replace(/[-_]/g, ''));

/** Secrets in texts: bearer values, tokens, keys, one-time links (also in a query), identity providers' parameters. */
const SECRET_TEXTS: readonly [RegExp, string][] = [
  [/\bBearer\s+(?:\{[^}]*\}|\S+)/gi, `Bearer ${REDACTED}`],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, REDACTED],
  [/\btemp[:_][\w:.-]{8,}/gi, REDACTED],
  [/\bprl_[\w-]{8,}/g, REDACTED],
  [/\bwhsec_[\w+/=-]{8,}/g, REDACTED],
  [/((?:\/|%2F)(?:signup|password|invite)(?:\/|%2F))(?!resend-activation-email|recover)[^/?#%&\s]+/gi, `$1${REDACTED}`],
  [/((?:^|[?&])(?:code|state|nonce|session_state|code_challenge|id_token|access_token)=)[^&#\s]+/gi, `$1${REDACTED}`],
];

function redactText(text: string): string {
  const cut = text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}… ${text.length - TEXT_MAX} more characters` : text;
  return SECRET_TEXTS.reduce((result, [pattern, replacement]) => result.replace(pattern, replacement), cut);
}

/** A plain copy of anything, without secrets. Never throws. */
export function redact(value: unknown): Plain {
  try {
    return copy(value, 0, []);
  } catch {
    return '[unreadable]';
  }
}

function copy(value: unknown, depth: number, above: readonly object[]): Plain {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'function') return `[function ${value.name}]`;
  if (typeof value === 'bigint' || typeof value === 'symbol' || typeof value === 'undefined') return String(value);
  if (typeof value !== 'object') return null;
  const known = copyKnown(value);
  if (known !== undefined) return known;
  if (above.includes(value)) return '[circular]';
  if (depth >= DEPTH_MAX) return '[deeper]';
  const within = [...above, value];
  if (value instanceof Map) return copy([...value], depth, within);
  if (value instanceof Set) return copy([...value], depth, within);
  if (Array.isArray(value)) {
    const items = value.slice(0, ITEMS_MAX).map((item) => copy(item, depth + 1, within));
    return value.length > ITEMS_MAX ? [...items, `… ${value.length - ITEMS_MAX} more`] : items;
  }
  return copyFields(value, depth, within);
}

/** Describes objects that are not copied. */
function copyKnown(value: object): Plain | undefined {
  if (value instanceof Blob)
    return { ...('name' in value ? { name: String(value.name) } : {}), size: value.size, type: value.type };
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return { byteLength: value.byteLength };
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
  if (value instanceof URL) return redactText(value.href);
  if ('sessionId' in value && 'send' in value) return { actor: String(value.sessionId) };
  return undefined;
}

function copyFields(value: object, depth: number, within: readonly object[]): Plain {
  const error = value instanceof Error ? { name: value.name, message: redactText(value.message) } : {};
  const result: { [key: string]: Plain } = { ...error };
  const hasSecretValue = FIELD_NAMES.some((name) => {
    const field: unknown = Reflect.get(value, name);
    return typeof field === 'string' && isSecretName(field);
  });
  for (const [key, field] of Object.entries(value)) {
    if (field === undefined) continue;
    if (isSecret(key, field) || (hasSecretValue && key === 'value')) result[key] = REDACTED;
    else result[key] = copy(field, depth + 1, within);
  }
  return result;
}

function isSecret(key: string, value: unknown): boolean {
  if (value === null || value === '') return false;
  // A session's tokens are a pair, a transcript's tokens a list of words.
  if (key === 'tokens') return !Array.isArray(value);
  return isSecretName(key);
}
