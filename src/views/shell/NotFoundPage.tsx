import { Button, Flex, Heading, Text } from '@chakra-ui/react';
import { ScreenLink } from '../ui/ScreenLink.tsx';

/** Shown for an unknown path (NAV-02). */
export function NotFoundPage() {
  return (
    <Flex
      as="main"
      direction="column"
      align="center"
      justify="center"
      textAlign="center"
      gap="3"
      minH="100dvh"
      p="6"
      bg="bg.subtle"
    >
      <Heading
        as="h1"
        tabIndex={-1}
        outline="none"
        fontSize={{ base: '3xl', md: '4xl' }}
        lineHeight="1.2"
        fontWeight="semibold"
        letterSpacing="-0.02em"
      >
        Error 404
      </Heading>
      <Text color="fg.muted">Requested page was not found.</Text>
      <Button asChild mt="4">
        <ScreenLink to={{ screen: 'home' }} borderRadius="l2">
          Back to Console
        </ScreenLink>
      </Button>
    </Flex>
  );
}
