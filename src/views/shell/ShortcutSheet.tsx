import { Box, Flex, Heading, Kbd, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { PLAYER_KEYS } from '../../behaviours/playerKeys.ts';
import { type Described, keyCap, SHORTCUTS } from '../../behaviours/shortcuts.ts';
import { TEXT_KEYS } from '../../behaviours/textKeys.ts';
import { ModalDialog } from '../ui/ModalDialog.tsx';
import { useWorkspace } from '../ui/state.ts';

const SECTIONS: readonly { title: string; keys: readonly Described[] }[] = [
  { title: 'Everywhere', keys: SHORTCUTS },
  { title: 'While a recording is open', keys: PLAYER_KEYS },
  { title: 'In a transcript', keys: TEXT_KEYS },
];

/** All keyboard shortcuts, described where they are bound. */
export function ShortcutSheet() {
  const palette = useSelector(useWorkspace(), (snapshot) => snapshot.children.palette);
  const isOpen = useSelector(palette, (snapshot) => snapshot?.hasTag('sheetOpen') ?? false);
  return (
    <ModalDialog title="Keyboard shortcuts" open={isOpen} onClose={() => palette?.send({ type: 'palette.dismissed' })}>
      {/* Focusable, so that keys can scroll the sheet. */}
      <Flex
        tabIndex={0}
        role="group"
        aria-label="Shortcuts"
        direction="column"
        gap="6"
        p="2"
        m="-2"
        borderRadius="l1"
        focusRing="inside"
      >
        {SECTIONS.map(({ title, keys }) => (
          <Box as="section" key={title} aria-label={title}>
            <Heading as="h3" mb="2" fontSize="sm" color="fg.muted">
              {title}
            </Heading>
            <Flex as="ul" direction="column" listStyleType="none">
              {keys.map((shortcut) => (
                <Row key={shortcut.text} shortcut={shortcut} />
              ))}
            </Flex>
          </Box>
        ))}
        <Text fontSize="xs" color="fg.muted">
          While you type in a field, only Esc works.
        </Text>
      </Flex>
    </ModalDialog>
  );
}

function Row({ shortcut: { keys, text } }: { shortcut: Described }) {
  return (
    <Flex as="li" align="center" justify="space-between" gap="4" py="1.5" fontSize="sm">
      <Text as="span">{text}</Text>
      <Flex as="span" gap="1" flexShrink="0">
        {keys.map((key) => (
          <Kbd key={key} className="notranslate">
            {keyCap(key)}
          </Kbd>
        ))}
      </Flex>
    </Flex>
  );
}
