import type { JsonSchema } from '#server/http/openapi/schemas.ts';

type Definition = JsonSchema | boolean | undefined;
/** Say something about a value without binding it. */
const ANNOTATIONS = new Set([
  '$ref',
  'examples',
  'default',
  'title',
  'description',
  'contentMediaType',
  'propertyNames',
  'required',
]);
const FORMATS: Record<string, RegExp> = {
  uuid: /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/,
  email: /^[^\s@]+@[^\s@]+$/,
  uri: /^[a-z]+:\/\//,
};

/**
 * What a value breaks of a schema, as far as this server's documents go; a keyword that is not known here is a finding of its own.
 * Objects are closed: a property that the schema does not name is one too.
 */
export function findings(
  value: unknown,
  schema: Definition,
  named: Readonly<Record<string, JsonSchema>>,
  at = '$',
  closed = true,
): string[] {
  if (typeof schema !== 'object') return schema === false ? [`${at} must not be there`] : [];
  if (schema.$ref !== undefined) {
    const target = named[schema.$ref.slice('#/components/schemas/'.length)];
    return target ? findings(value, target, named, at, closed) : [`${at}: ${schema.$ref} is nowhere`];
  }
  const found: string[] = [];
  const must = (holds: boolean, what: string): void => {
    if (!holds) found.push(`${at} must ${what}, is ${JSON.stringify(value)}`);
  };
  const length = typeof value === 'string' || Array.isArray(value) ? value.length : 0;
  const number = typeof value === 'number' ? value : 0;
  const fitting = (options: readonly (JsonSchema | boolean)[]): number =>
    options.filter((option) => findings(value, option, named, at, closed).length === 0).length;
  const checks: Record<string, () => void> = {
    type: () =>
      must(
        [schema.type].flat().some((type) => typeof type === 'string' && isOf(value, type)),
        `be ${[schema.type].flat().join(' or ')}`,
      ),
    const: () => must(value === schema.const, `be ${JSON.stringify(schema.const)}`),
    enum: () =>
      must(schema.enum?.some((option) => option === value) ?? false, `be one of ${JSON.stringify(schema.enum)}`),
    anyOf: () => must(fitting(schema.anyOf ?? []) > 0, 'fit an option'),
    oneOf: () => must(fitting(schema.oneOf ?? []) === 1, 'fit exactly one option'),
    allOf: () => found.push(...(schema.allOf ?? []).flatMap((part) => findings(value, part, named, at, false))),
    minLength: () => must(length >= (schema.minLength ?? 0), 'be longer'),
    maxLength: () => must(length <= (schema.maxLength ?? 0), 'be shorter'),
    minItems: () => must(length >= (schema.minItems ?? 0), 'have more items'),
    maxItems: () => must(length <= (schema.maxItems ?? 0), 'have fewer items'),
    minimum: () => must(number >= (schema.minimum ?? 0), 'be greater'),
    maximum: () => must(number <= (schema.maximum ?? 0), 'be smaller'),
    pattern: () => must(new RegExp(schema.pattern ?? '', 'u').test(String(value)), `match ${schema.pattern}`),
    format: () => must(FORMATS[schema.format ?? '']?.test(String(value)) ?? false, `be a ${schema.format}`),
    multipleOf: () => must(number % (schema.multipleOf ?? 1) === 0, `be a multiple of ${schema.multipleOf}`),
    items: () =>
      found.push(
        ...(Array.isArray(value) && !Array.isArray(schema.items)
          ? value.flatMap((item, index) => findings(item, asDefinition(schema.items), named, `${at}[${index}]`, closed))
          : []),
      ),
    properties: () => {
      if (typeof value !== 'object' || value === null) return;
      for (const name of schema.required ?? []) if (!(name in value)) found.push(`${at}.${name} is missing`);
      for (const [name, part] of Object.entries(value)) {
        const property = schema.properties?.[name];
        if (property !== undefined) found.push(...findings(part, property, named, `${at}.${name}`, closed));
        else if (closed && schema.additionalProperties === undefined) found.push(`${at}.${name} is not documented`);
      }
    },
    additionalProperties: () => {
      for (const [name, part] of Object.entries(Object(value)))
        if (!(name in (schema.properties ?? {})))
          found.push(...findings(part, schema.additionalProperties, named, `${at}.${name}`, closed));
    },
  };
  for (const keyword of Object.keys(schema)) {
    if (ANNOTATIONS.has(keyword)) continue;
    const check = checks[keyword];
    if (check) check();
    else found.push(`${at}: keyword ${keyword} is not known here`);
  }
  return found;
}

/** Items of a list; a tuple says more than these documents do. */
const asDefinition = (items: JsonSchema['items']): Definition => (Array.isArray(items) ? undefined : items);

function isOf(value: unknown, type: string): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === type;
}
