/**
 * Which texts of the views a translator of the browser would break: it puts each text node into elements of its own, and React
 * finds it no longer where it was, as it writes the node anew, takes it away or puts something before it. A text that is all
 * that its element has is safe: React writes that by way of the element.
 */
import { type Node, parseSync } from 'oxc-parser';

/** What a child may turn out to be. `slot` is what the caller puts there: elements, or a text that stays. */
type Kind = 'text' | 'blank' | 'element' | 'nothing' | 'slot';
type Child = { kinds: readonly Kind[]; isFixed: boolean };

const SLOTS = /^(children|icon|mark|aside|action|empty)$/;

function kindsOf(node: Node): Kind[] {
  if (node.type === 'ParenthesizedExpression' || node.type === 'ChainExpression') return kindsOf(node.expression);
  if (node.type === 'JSXElement' || node.type === 'JSXFragment') return ['element'];
  if (node.type === 'ConditionalExpression') return [...kindsOf(node.consequent), ...kindsOf(node.alternate)];
  if (node.type === 'LogicalExpression')
    return [...(node.operator === '&&' ? (['nothing'] as const) : kindsOf(node.left)), ...kindsOf(node.right)];
  if (node.type === 'Identifier' && SLOTS.test(node.name)) return ['slot'];
  if (node.type === 'CallExpression' && isList(node)) return ['element', 'nothing'];
  if (node.type !== 'Literal') return ['text'];
  if (node.value === null || typeof node.value === 'boolean') return ['nothing'];
  return [String(node.value).trim() === '' ? 'blank' : 'text'];
}

const isList = ({ callee }: Extract<Node, { type: 'CallExpression' }>): boolean =>
  callee.type === 'MemberExpression' &&
  callee.property.type === 'Identifier' &&
  /^(flatMap|map)$/.test(callee.property.name);

function childOf(node: Node): Child | undefined {
  if (node.type === 'JSXText') {
    if (/\S/.test(node.value)) return { kinds: ['text'], isFixed: true };
    return node.value.includes('\n') ? undefined : { kinds: ['blank'], isFixed: true };
  }
  if (node.type !== 'JSXExpressionContainer') return { kinds: ['element'], isFixed: true };
  const { expression } = node;
  if (expression.type === 'JSXEmptyExpression') return undefined;
  return { kinds: kindsOf(expression), isFixed: expression.type === 'Literal' || expression.type === 'JSXElement' };
}

/** Whether a text among these children would be written anew, taken away, or have something put before it. */
function isBreakable(children: readonly Child[], isFragment: boolean): boolean {
  // A fragment goes without its element, and takes its texts along one by one.
  if (!isFragment && children.length < 2) return false;
  let mayComeBefore = false;
  for (const { kinds, isFixed } of children) {
    const isText = kinds.includes('text');
    if (isText && (isFragment || !isFixed || mayComeBefore)) return true;
    mayComeBefore = !isFixed;
  }
  return false;
}

/** A component that is a text, and nothing around it. */
const isBareText = (node: Node): boolean =>
  (node.type === 'Literal' || node.type === 'TemplateLiteral' || node.type === 'ConditionalExpression') &&
  kindsOf(node).includes('text');

const lineOf = (source: string, { start }: Node): number => source.slice(0, start).split('\n').length;

function childrenOf(node: Node): Node[] {
  return Object.values(node)
    .flatMap((value: unknown) => value)
    .filter((each): each is Node => typeof each === 'object' && each !== null && 'type' in each && 'start' in each);
}

/** Elements that hold code: by what they are, or by their letters. */
const CODE = /^<(\w+\.)?(code|pre)\b|\sas="(code|pre)"|\sfontFamily="mono"/;
/** What keeps a translator away. */
const LEFT_ALONE = /\sclassName="notranslate"|\{\.\.\.CODE_BOX\}/;

/** The lines of a source where a translator of the browser would change code. */
export function translatableCode(source: string, filename = 'view.tsx'): number[] {
  const visit = (node: Node): number[] => {
    const beneath = childrenOf(node).flatMap(visit);
    if (node.type !== 'JSXOpeningElement') return beneath;
    const tag = source.slice(node.start, node.end);
    return CODE.test(tag) && !LEFT_ALONE.test(tag) ? [lineOf(source, node), ...beneath] : beneath;
  };
  return visit(parseSync(filename, source).program as Node);
}

/** The lines of a source where such a text stands. */
export function breakableTexts(source: string, filename = 'view.tsx'): number[] {
  const found: number[] = [];
  const note = (node: Node) => void found.push(lineOf(source, node));
  const visit = (node: Node, component: boolean): void => {
    if (node.type === 'JSXElement' || node.type === 'JSXFragment') {
      const children = node.children.flatMap((child) => childOf(child) ?? []);
      if (isBreakable(children, node.type === 'JSXFragment')) note(node);
    }
    if (component && node.type === 'ReturnStatement' && node.argument && isBareText(node.argument)) note(node);
    if (node.type === 'FunctionDeclaration') component = /^[A-Z]/.test(node.id?.name ?? '');
    else if (node.type === 'ArrowFunctionExpression' || node.type === 'FunctionExpression') component = false;
    for (const child of childrenOf(node)) visit(child, component);
  };
  visit(parseSync(filename, source).program as Node, false);
  return found;
}
