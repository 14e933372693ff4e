import { Box, Flex, Text, chakra } from '@chakra-ui/react';
import { LogOut, UserRound } from 'lucide-react';
import { ScreenLink } from '../ui/ScreenLink.tsx';
import { useEmail, useMembership, usePreferences, useSession } from '../ui/state.ts';
import { navRow } from './navRow.ts';

/** Who is signed in, their account, the way out (SHL-09). */
export function SidebarFooter() {
  const session = useSession();
  const preferences = usePreferences();
  const email = useEmail();
  const poi = useMembership()?.organization.uuid;
  return (
    <Box p="3" borderTopWidth="1px">
      <Flex align="center" gap="2.5" px="3" py="2">
        <Flex align="center" justify="center" boxSize="8" flexShrink="0" borderRadius="full" bg="brand.muted" color="brand.fg" fontSize="sm" fontWeight="semibold" aria-hidden>
          {email.charAt(0).toUpperCase()}
        </Flex>
        <Text fontSize="sm" truncate title={email}>
          {email}
        </Text>
      </Flex>
      <ScreenLink to={{ screen: 'user', ...(poi ? { poi } : {}) }} onClick={() => preferences.send({ type: 'drawer.close.requested' })} {...navRow}>
        <UserRound size={16} aria-hidden />
        Manage your account
      </ScreenLink>
      <chakra.button type="button" onClick={() => session.send({ type: 'signOut.requested' })} {...navRow}>
        <LogOut size={16} aria-hidden />
        Sign out
      </chakra.button>
    </Box>
  );
}
