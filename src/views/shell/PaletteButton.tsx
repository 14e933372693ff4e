import { Box, Kbd, chakra } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { Search } from 'lucide-react';
import { keyCap, SHORTCUTS } from '../../behaviours/shortcuts.ts';
import { useWorkspace } from '../ui/state.ts';

const KEYS = SHORTCUTS.find(({ event }) => event.type === 'palette.requested')?.keys ?? [];

/** Opens the command palette, and shows its keyboard shortcut. */
export function PaletteButton() {
  const palette = useSelector(useWorkspace(), (snapshot) => snapshot.children.palette);
  return (
    <chakra.button
      type="button"
      aria-label="Search screens and commands"
      onClick={() => palette?.send({ type: 'palette.requested' })}
      display="flex"
      alignItems="center"
      gap="2"
      flexShrink="0"
      h="9"
      px="2.5"
      borderWidth="1px"
      borderColor="border.control"
      borderRadius="l1"
      color="fg.muted"
      fontSize="sm"
      cursor="pointer"
      focusRing="outside"
      _hover={{ bg: 'bg.muted', color: 'fg' }}
    >
      <Search size={16} aria-hidden />
      <Box as="span" display={{ base: 'none', lg: 'inline-flex' }} gap="1" aria-hidden>
        {KEYS.map((key) => (
          <Kbd key={key} className="notranslate" size="sm">
            {keyCap(key)}
          </Kbd>
        ))}
      </Box>
    </chakra.button>
  );
}
