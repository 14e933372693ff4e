import { Box, Flex, chakra } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { Monitor, Moon, Sun } from 'lucide-react';
import type { Theme } from '#machines/root/preferences/actors.ts';
import { usePreferences } from '../ui/state.ts';

/** The themes and their labels. */
export const THEMES: readonly { theme: Theme; label: string; icon: typeof Sun }[] = [
  { theme: 'system', label: 'System', icon: Monitor },
  { theme: 'light', label: 'Light', icon: Sun },
  { theme: 'dark', label: 'Dark', icon: Moon },
];

/** Chooses system, light or dark. @param labelled whether to show labels next to the icons */
export function ThemeSwitch({ labelled = false }: { labelled?: boolean }) {
  const preferences = usePreferences();
  const chosen = useSelector(preferences, (snapshot) => snapshot.context.theme);
  return (
    <Flex
      role="radiogroup"
      aria-label="Theme"
      flexShrink="0"
      p="0.5"
      borderWidth="1px"
      borderColor="border.control"
      borderRadius="l1"
      bg="bg.subtle"
      w="fit-content"
      maxW="full"
    >
      {THEMES.map(({ theme, label, icon: Icon }) => (
        <chakra.label
          key={theme}
          title={label}
          display="flex"
          alignItems="center"
          justifyContent="center"
          gap="2"
          position="relative"
          h="7"
          px={labelled ? { base: '2', sm: '3' } : '1.5'}
          borderRadius="6px"
          fontSize="sm"
          color="fg.muted"
          cursor="pointer"
          _hover={{ color: 'fg' }}
          css={{
            '&:has(input:checked)': { bg: 'bg.panel', color: 'fg', boxShadow: '0 0 0 1px {colors.border}' },
            '&:has(input:focus-visible)': { outline: '2px solid {colors.brand.focusRing}' },
          }}
        >
          <chakra.input
            type="radio"
            // The account page has a second switch, which needs its own radio group.
            name={labelled ? 'theme-labelled' : 'theme'}
            aria-label={label}
            checked={theme === chosen}
            onChange={() => preferences.send({ type: 'theme.chosen', theme })}
            position="absolute"
            inset="0"
            opacity="0"
            cursor="pointer"
          />
          <Box as="span" aria-hidden>
            <Icon size={15} />
          </Box>
          {labelled ? <span>{label}</span> : null}
        </chakra.label>
      ))}
    </Flex>
  );
}
