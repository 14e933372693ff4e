import { Box, Flex, chakra } from '@chakra-ui/react';
import { Menu } from 'lucide-react';
import { usePreferences } from '../ui/state.ts';
import { Breadcrumb } from './Breadcrumb.tsx';
import { TOP_BAR_HEIGHT, WITH_SIDEBAR } from './measures.ts';
import { PaletteButton } from './PaletteButton.tsx';
import { ThemeSwitch } from './ThemeSwitch.tsx';

/** Above every console page: the drawer's button on small screens, the breadcrumb, the palette, the theme. */
export function TopBar() {
  const preferences = usePreferences();
  return (
    <Flex
      as="header"
      position="sticky"
      top="0"
      zIndex="docked"
      align="center"
      gap={{ base: '2', sm: '3' }}
      h={TOP_BAR_HEIGHT}
      px={{ base: '3', md: '8' }}
      bg="bg"
      borderBottomWidth="1px"
    >
      <chakra.button
        type="button"
        aria-label="Open navigation"
        onClick={() => preferences.send({ type: 'drawer.open.requested' })}
        display="flex"
        alignItems="center"
        justifyContent="center"
        boxSize="9"
        flexShrink="0"
        borderRadius="l1"
        cursor="pointer"
        focusRing="outside"
        _hover={{ bg: 'bg.muted' }}
        css={{ [WITH_SIDEBAR]: { display: 'none' } }}
      >
        <Menu size={20} aria-hidden />
      </chakra.button>
      <Breadcrumb />
      <PaletteButton />
      {/* On small screens it is in the account's menu. */}
      <Box hideBelow="md">
        <ThemeSwitch />
      </Box>
    </Flex>
  );
}
