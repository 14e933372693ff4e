import { Box, Flex, Tabs, Text } from '@chakra-ui/react';
import { shallowEqual, useSelector } from '@xstate/react';
import type { CodeLanguage } from '#machines/playground/codePanel/machine.ts';
import type { Snippet } from '#machines/playground/snippets/snippets.ts';
import { CopyButton } from '../ui/CopyButton.tsx';
import { type CodeSyntax, Highlighted } from '../ui/Highlighted.tsx';
import { InlineCode } from '../ui/InlineCode.tsx';
import { ScreenLink } from '../ui/ScreenLink.tsx';
import { useMayOpen } from '../ui/rights.ts';
import { useCodePanel, usePlayground } from './state.ts';

const SYNTAXES: Record<CodeLanguage, CodeSyntax> = {
  curl: 'bash',
  python: 'python',
  node: 'javascript',
  browser: 'javascript',
  json: 'json',
};

type Props = {
  /** Creates the snippets when the dialog opens. */
  write: () => Snippet[];
  /** The environment variable from which the programs read the API key. */
  keyVariable: string;
};

/** What a snippet needs to run, or a note about it. */
function SnippetNote({ language, keyVariable }: { language: CodeLanguage; keyVariable: string }) {
  if (language === 'json') return <span>The JSON that the programs send.</span>;
  if (language === 'browser')
    return <span>Everyone who opens a page can read the key in it: keep API keys on your server.</span>;
  return (
    <span>
      Set <InlineCode>{keyVariable}</InlineCode> to an API key of the project before running. <KeyLink />
    </span>
  );
}

/** A link to a new API key, for those who may create one (UXP-55). */
function KeyLink() {
  const mayCreate = useMayOpen('apiKeys');
  const { orgUuid, projectUuid } = useSelector(
    usePlayground(),
    ({ context }) => ({ orgUuid: context.orgUuid, projectUuid: context.projectUuid }),
    shallowEqual,
  );
  if (!mayCreate) return null;
  return (
    <ScreenLink
      to={{ screen: 'apiKeys', orgUuid, projectUuid, isCreating: true }}
      color="brand.fg"
      textDecoration="underline"
      textUnderlineOffset="3px"
    >
      Create key
    </ScreenLink>
  );
}

/** The current settings as programs to copy. */
export function Snippets({ write, keyVariable }: Props) {
  const codePanel = useCodePanel();
  const snippets = write();
  const selected = useSelector(codePanel, ({ context }) => context.language);
  // The file and live dialogs have different languages.
  const shown = snippets.find(({ language }) => language === selected) ?? snippets[0];
  if (!shown) return null;
  const select = (value: string) => {
    const chosen = snippets.find(({ language }) => language === value);
    if (chosen) codePanel.send({ type: 'language.selected', language: chosen.language });
  };
  return (
    <Tabs.Root value={shown.language} onValueChange={({ value }) => select(value)} lazyMount unmountOnExit>
      <Tabs.List mb="3" aria-label="Language">
        {snippets.map(({ language, title }) => (
          <Tabs.Trigger key={language} value={language} px={{ base: '2', sm: '4' }}>
            {title}
          </Tabs.Trigger>
        ))}
      </Tabs.List>
      {snippets.map(({ language, title, code }) => (
        <Tabs.Content key={language} value={language} p="0">
          <Flex mb="2" align="center" justify="space-between" gap="3">
            <Text fontSize="sm" color="fg.muted">
              <SnippetNote language={language} keyVariable={keyVariable} />
            </Text>
            <CopyButton text={code} label={`${title} code`} />
          </Flex>
          <Box
            as="pre"
            className="notranslate"
            tabIndex={0}
            aria-label={`${title} code`}
            role="region"
            overflow="auto"
            maxHeight="60dvh"
            p="4"
            bg="bg.muted"
            borderRadius="l2"
            fontFamily="mono"
            fontSize="xs"
            lineHeight="1.6"
            focusRing="inside"
          >
            <Highlighted code={code} syntax={SYNTAXES[language]} />
          </Box>
        </Tabs.Content>
      ))}
    </Tabs.Root>
  );
}
