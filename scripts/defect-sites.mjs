/**
 * Draws the sites where scripts/defects.mjs plants defects. Finds candidates in the syntax tree, and draws by a hash of
 * their code, so that edits elsewhere do not change the draw.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { root } from './setup.mjs';

const NOT = "import { not as turned } from 'xstate';\n";
const COMPARED = { '<': '<=', '<=': '<', '>': '>=', '>=': '>', '===': '!==', '!==': '===' };
const ROUNDED = { floor: 'ceil', ceil: 'floor', round: 'floor', trunc: 'ceil' };
const STATUS = { 200: 202, 201: 200, 202: 200, 204: 200, 400: 409, 401: 403, 403: 404, 429: 503, 500: 503 };
/** Kinds of refusals, for the same. */
const KINDS = {
  invalid: 'conflict',
  unauthenticated: 'forbidden',
  forbidden: 'not_found',
  limit: 'unavailable',
  failed: 'unavailable',
};
/** Calls that take a status or a kind, and the index of that argument. */
const STATUS_AT = { Refusal: 0, json: 1, body: 1, text: 1, html: 1 };

const isText = (node) => node?.type === 'Literal' && typeof node.value === 'string';
/** The name of a property; undefined for a computed or spread one. */
const keyOf = ({ key, computed }) => (computed || !key ? undefined : String(key.name ?? key.value));
const isNamed = (node, ...names) => node?.type === 'Property' && names.includes(keyOf(node));
const propertiesOf = (node) => node.properties.filter(({ type }) => type === 'Property');
const isCondition = ({ type }) => type === 'IfStatement' || type === 'ConditionalExpression';
const memberOf = (node) => (node.type === 'CallExpression' ? node.callee.property?.name : undefined);

const put = (node, by, before = '') => [{ node, start: node.start, end: node.end, by, before }];
/** Removes a property or an element, with the comma after it. */
const drop = (node, text) => [
  {
    node,
    start: node.start,
    end: node.end + (/^\s*,/.exec(text.slice(node.end))?.[0].length ?? 0),
    by: '',
    before: '',
  },
];
/** Removes `.name(…)`, the last call of a chain. */
const unlink = (node) => [{ node, start: node.callee.object.end, end: node.end, by: '', before: '' }];

/** Drops a property; if its value is a list of names, drops each name in turn. */
const dropOne = (property, text) => {
  const { value } = property;
  if (value.type === 'ArrayExpression') return value.elements.filter(Boolean).flatMap((element) => drop(element, text));
  const isDefinitions = value.type === 'ObjectExpression' && !propertiesOf(value).some((one) => keyOf(one) === 'type');
  return isDefinitions || value.type === 'ArrayPattern' ? [] : drop(property, text);
};

function turnCondition(test, text) {
  const written = text.slice(test.start, test.end);
  if (test.type === 'UnaryExpression' && test.operator === '!')
    return put(test, text.slice(test.argument.start, test.argument.end));
  return put(test, /^(Identifier|MemberExpression|CallExpression)$/.test(test.type) ? `!${written}` : `!(${written})`);
}

function turnGuard(node, _above, text) {
  if (!isNamed(node, 'guard')) return [];
  const written = text.slice(node.value.start, node.value.end);
  const isTurned = node.value.type === 'CallExpression' && node.value.callee.name === 'not';
  return isTurned ? put(node.value, written.replace(/^not\(|\)$/g, '')) : put(node.value, `turned(${written})`, NOT);
}

function dropTransition(node, _above, text) {
  if (isNamed(node, 'onDone', 'onError')) return drop(node, text);
  if (!isNamed(node, 'on', 'after') || node.value.type !== 'ObjectExpression') return [];
  return propertiesOf(node.value).flatMap((one) => drop(one, text));
}

/** Changes the target of a transition to a sibling state. */
function changeTarget(node, above) {
  const isShort = isNamed(above.at(-2), 'on', 'after') || isNamed(node, 'onDone', 'onError', 'always');
  if (!(isNamed(node, 'target') || (isShort && node.type === 'Property')) || !isText(node.value)) return [];
  const index = above.findLastIndex((one, at) => one.type === 'ObjectExpression' && isNamed(above[at - 1], 'states'));
  if (index < 0) return [];
  const names = propertiesOf(above[index]).flatMap((property) => keyOf(property) ?? []);
  const at = names.indexOf(node.value.value);
  const others = [...names.slice(at + 1), ...names.slice(0, at)].filter((name) => name !== keyOf(above[index + 1]));
  return at < 0 || others.length === 0 ? [] : put(node.value, `'${others[0]}'`);
}

function dropLock(node, _above, text) {
  const called = node.type === 'ExpressionStatement' ? (node.expression.argument ?? node.expression) : node;
  if (node.type === 'ExpressionStatement') return /^lock[A-Z]/.test(called.callee?.name) ? drop(node, text) : [];
  if (['forUpdate', 'forShare', 'forNoKeyUpdate', 'skipLocked'].includes(memberOf(node))) return unlink(node);
  return memberOf(node) === 'transaction' ? put(node.callee.property, 'connection') : [];
}

function wrongStatus(node) {
  const at = STATUS_AT[node.type === 'NewExpression' ? node.callee.name : memberOf(node)];
  const status = at === undefined ? undefined : node.arguments[at];
  if (isText(status)) return put(status, `'${KINDS[status.value] ?? 'invalid'}'`);
  return typeof status?.value === 'number' ? put(status, String(STATUS[status.value] ?? 400)) : [];
}

/** For each kind: the changes that a node allows, given the nodes above it and the file's text. */
const GROUPS = {
  charts: {
    folder: 'machines',
    count: 16,
    kinds: {
      'guard turned': turnGuard,
      'transition dropped': dropTransition,
      'action dropped': (node, _above, text) => (isNamed(node, 'actions', 'entry', 'exit') ? dropOne(node, text) : []),
      'tag dropped': (node, _above, text) => (isNamed(node, 'tags') ? dropOne(node, text) : []),
      'target changed': changeTarget,
    },
  },
  views: {
    folder: 'src',
    count: 12,
    kinds: {
      'condition turned': (node, above, text) => {
        if (isCondition(node)) return turnCondition(node.test, text);
        const isShown = node.operator === '&&' && above.at(-1)?.type === 'JSXExpressionContainer';
        return isShown ? turnCondition(node.left, text) : [];
      },
      'call dropped': (node, above, text) => {
        const called = node.type === 'ExpressionStatement' ? (node.expression.argument ?? node.expression) : node;
        const isAmongOthers = above.at(-1)?.type === 'BlockStatement' && above.at(-1).body.length > 1;
        return node.type === 'ExpressionStatement' && called.type === 'CallExpression' && isAmongOthers
          ? drop(node, text)
          : [];
      },
      'comparison changed': (node, _above, text) => {
        if (node.type !== 'BinaryExpression' || !Object.hasOwn(COMPARED, node.operator)) return [];
        const [left, right] = [node.left, node.right].map(({ start, end }) => text.slice(start, end));
        return put(node, `${left} ${COMPARED[node.operator]} ${right}`);
      },
    },
  },
  server: {
    folder: 'server',
    count: 12,
    kinds: {
      'condition turned': (node, _above, text) => (isCondition(node) ? turnCondition(node.test, text) : []),
      'where dropped': (node) => (memberOf(node) === 'where' ? unlink(node) : []),
      'lock dropped': dropLock,
      'wrong status': wrongStatus,
      'rounding changed': (node) =>
        node.type === 'MemberExpression' && node.object.name === 'Math' && Object.hasOwn(ROUNDED, node.property.name)
          ? put(node.property, ROUNDED[node.property.name])
          : [],
    },
  },
};

/** The sources below a folder for defects, without migrations, because released ones never change. */
const sourcesIn = (folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/\.d\.ts$|(^|\/)migrations\//.test(name))
    .map((name) => join(folder, name))
    .sort();

function walk(node, above, see) {
  see(node, above);
  const inner = [...above, node];
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value])
      if (typeof child?.type === 'string') walk(child, inner, see);
}

function candidatesIn(file, group, seed) {
  const text = readFileSync(join(root, file), 'utf8');
  const found = [];
  const counts = new Map();
  walk(parseSync(file, text).program, [], (node, above) => {
    for (const [kind, changesOf] of Object.entries(group.kinds))
      for (const change of changesOf(node, above, text)) {
        const parent = change.node === node ? above.at(-1) : node;
        const content = [seed, file, kind, ...[change.node, parent].map(({ start, end }) => text.slice(start, end))];
        const key = content.join('\0');
        const repeated = counts.get(key) ?? 0;
        counts.set(key, repeated + 1);
        const id = createHash('sha256').update(`${key}\0${repeated}`).digest('hex').slice(0, 10);
        found.push({ id, kind, file, text, ...change });
      }
  });
  return found;
}

const oneLine = (text) => text.replaceAll(/\s+/g, ' ').trim();

function siteOf({ id, kind, file, text, start, end, by, before }, group) {
  const planted = before + text.slice(0, start) + by + text.slice(end);
  const at = `${file}:${text.slice(0, start).split('\n').length + (/^\s*\n/.test(text.slice(start, end)) ? 1 : 0)}`;
  return {
    id,
    group,
    kind,
    file,
    at,
    before: oneLine(text.slice(start, end)),
    after: oneLine(by) || '(dropped)',
    planted,
  };
}

/**
 * Draws the same number of sites for each kind of a group, or one more for its first kinds if the count does not
 * divide. Skips sites whose planted code does not parse. The order mixes groups and kinds, in case a run is stopped.
 */
export function drawSites(seed) {
  const drawn = Object.entries(GROUPS).flatMap(([name, group]) => {
    const found = sourcesIn(group.folder).flatMap((file) => candidatesIn(file, group, seed));
    const kinds = Object.keys(group.kinds);
    const sites = kinds.flatMap((kind, index) => {
      const wanted = Math.floor(group.count / kinds.length) + (index < group.count % kinds.length ? 1 : 0);
      const ofKind = found.filter((one) => one.kind === kind).sort((a, b) => (a.id < b.id ? -1 : 1));
      const planted = [];
      for (const candidate of ofKind) {
        if (planted.length === wanted) break;
        const site = siteOf(candidate, name);
        if (parseSync(site.file, site.planted).errors.length === 0) planted.push({ ...site, rank: planted.length });
      }
      return planted;
    });
    sites.sort((a, b) => a.rank - b.rank);
    return sites.map((site, index) => ({ ...site, order: (index + 0.5) / sites.length }));
  });
  return drawn.sort((a, b) => a.order - b.order);
}
