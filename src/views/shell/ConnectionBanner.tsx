import { Box, Flex } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { WifiOff } from 'lucide-react';
import { useWorkspace } from '../ui/state.ts';

/** Says above the page that the browser is offline (UXP-41). */
export function ConnectionBanner() {
  const connection = useSelector(useWorkspace(), (snapshot) => snapshot.children.connection);
  const isOffline = useSelector(connection, (snapshot) => snapshot?.hasTag('offline') ?? false);
  return (
    // The live region exists before its text, so that screen readers announce the text.
    <div role="status" aria-label="Connection">
      {isOffline ? (
        <Flex
          align="center"
          gap="3"
          px={{ base: '4', md: '8' }}
          py="2.5"
          fontSize="sm"
          bg="orange.subtle"
          color="orange.fg"
          borderBottomWidth="1px"
        >
          <Box as="span" flexShrink="0" aria-hidden>
            <WifiOff size={16} />
          </Box>
          You’re offline. This page stays as it is; what couldn’t be loaded is loaded when you’re back online.
        </Flex>
      ) : null}
    </div>
  );
}
