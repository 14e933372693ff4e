import { chakra } from '@chakra-ui/react';
import bash from 'highlight.js/lib/languages/bash';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import { createLowlight } from 'lowlight';
import { memo, useMemo } from 'react';

const lowlight = createLowlight({ bash, javascript, json, python });

export type CodeSyntax = 'bash' | 'javascript' | 'json' | 'python';

type Node = ReturnType<typeof lowlight.highlight>['children'][number];

/** Colours by a token's first class. Other tokens have the colour of the text around them. */
const COLOURS: Record<string, string> = {
  'hljs-attr': 'blue.fg',
  'hljs-built_in': 'purple.fg',
  'hljs-comment': 'fg.muted',
  'hljs-keyword': 'purple.fg',
  'hljs-literal': 'orange.fg',
  'hljs-meta': 'fg.muted',
  'hljs-number': 'orange.fg',
  'hljs-property': 'blue.fg',
  'hljs-string': 'green.fg',
  'hljs-title': 'blue.fg',
  'hljs-variable': 'orange.fg',
};

/** Code with syntax highlighting. Its text content is exactly the code. */
export const Highlighted = memo(function Highlighted({ code, syntax }: { code: string; syntax: CodeSyntax }) {
  const tree = useMemo(() => lowlight.highlight(syntax, code), [code, syntax]);
  return <Nodes nodes={tree.children} />;
});

function Nodes({ nodes }: { nodes: readonly Node[] }) {
  return nodes.map((node, index) => {
    if (node.type === 'text') return node.value;
    if (node.type !== 'element') return null;
    const names = node.properties['className'];
    const color = Array.isArray(names) ? COLOURS[String(names[0])] : undefined;
    return (
      // oxlint-disable-next-line no-array-index-key -- nodes have no ids, and all are replaced together
      <chakra.span key={index} {...(color ? { color } : {})}>
        <Nodes nodes={node.children} />
      </chakra.span>
    );
  });
}
