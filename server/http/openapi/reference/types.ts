/** Writes schemas as HTML, with the fields of unnamed objects. */
import { escapeHtml as text } from '../../../platform/html.ts';
import type { OpenApiDocument } from '../document.ts';
import type { JsonSchema } from '../schemas.ts';

type Definition = JsonSchema | boolean | undefined;
type Plain = JsonSchema & { properties: Record<string, JsonSchema | boolean> };

export const code = (value: string): string => `<code>${text(value)}</code>`;
const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1);
const isPlain = (schema: Definition): schema is Plain => typeof schema === 'object' && schema.properties !== undefined;

/** A schema as HTML. @param key begins the anchors of its links */
export const shape = (key: string, schema: Definition): string =>
  isPlain(schema) ? fields(key, schema) : `<p class="muted">${typeOf(key, schema)}</p>${nested(key, schema)}`;

/** A body: its name if it has one, and its fields. */
export function body(
  key: string,
  schema: JsonSchema | undefined,
  named: OpenApiDocument['components']['schemas'],
): string {
  const ref = schema?.$ref;
  return ref === undefined
    ? shape(key, schema)
    : `<p class="muted">${typeOf(key, schema)}</p>${shape(key, named[nameOf(ref)])}`;
}

function fields(key: string, { properties, required = [] }: Plain): string {
  return Object.keys(properties).length === 0
    ? '<p class="muted">Empty object</p>'
    : `<ul class="fields">${Object.entries(properties)
        .map(([name, schema]) => field(key, name, schema, required.includes(name)))
        .join('')}</ul>`;
}

/**
 * One field or parameter.
 * @param place such as ` in the path`; empty in a body
 * @param about what it is for
 */
export function field(
  key: string,
  name: string,
  schema: Definition,
  required: boolean,
  { place = '', about = descriptionOf(schema) }: { place?: string; about?: string | undefined } = {},
): string {
  const limits = `<span class="bounds">${place}${required ? '' : ', optional'}${bounds(schema)}</span>`;
  const words = about === undefined ? '' : `<p class="about">${withCode(about)}</p>`;
  return `<li><b>${code(name)}</b> ${typeOf(key, schema)}${limits}${words}${nested(key, schema)}</li>`;
}

const descriptionOf = (schema: Definition): string | undefined =>
  typeof schema === 'object' ? schema.description : undefined;

/** A text as HTML; what stands in backticks is code. */
const withCode = (words: string): string => text(words).replaceAll(/`([^`]+)`/g, '<code>$1</code>');

/** The fields of unnamed objects inside a schema. */
function nested(key: string, schema: Definition): string {
  if (isPlain(schema)) return fields(key, schema);
  if (typeof schema !== 'object') return '';
  const inner = Array.isArray(schema.items) ? [] : [schema.items];
  return [...inner, ...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]
    .map((part) => nested(key, part))
    .join('');
}

/** A type in words, as a link if it has a name. */
export function typeOf(key: string, schema: Definition): string {
  if (typeof schema !== 'object') return 'anything';
  const { $ref, const: only, enum: values, anyOf, oneOf, allOf, items, type, contentMediaType } = schema;
  if ($ref !== undefined) return `<a href="#${key}-${nameOf($ref)}">${text(nameOf($ref))}</a>`;
  if (only !== undefined) return code(JSON.stringify(only));
  if (values) return values.map((value) => code(JSON.stringify(value))).join(' or ');
  const options = anyOf ?? oneOf ?? allOf;
  if (options) return options.map((option) => typeOf(key, option)).join(allOf ? ' and ' : ' or ');
  if (type === 'array') return `array of ${Array.isArray(items) ? 'values' : typeOf(key, items)}`;
  if (contentMediaType !== undefined) return 'file';
  return text(schema.format ?? [type ?? 'anything'].flat().join(' or '));
}

function bounds(schema: Definition): string {
  if (typeof schema !== 'object') return '';
  const inner = schema.anyOf?.find((option) => typeof option === 'object' && option.type !== 'null');
  const { minimum, maximum, minLength, maxLength, maxItems } = typeof inner === 'object' ? inner : schema;
  const texts = [
    minimum !== undefined && `from ${minimum}`,
    maximum !== undefined && `up to ${maximum}`,
    minLength !== undefined && `at least ${minLength} characters`,
    maxLength !== undefined && `at most ${maxLength} characters`,
    maxItems !== undefined && `at most ${maxItems} items`,
  ];
  return texts
    .filter((part) => part !== false)
    .map((part) => `, ${part}`)
    .join('');
}
