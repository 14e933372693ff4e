import { Box, Flex, Heading, Text } from '@chakra-ui/react';
import type { ReactNode } from 'react';
import { takeFocus } from '../../behaviours/takeFocus.ts';
import { ExternalLink } from '../ui/ExternalLink.tsx';
import { Logo } from '../ui/Logo.tsx';
import { useSettings } from '../ui/state.ts';

type Props = {
  heading: ReactNode;
  intro?: ReactNode;
  children?: ReactNode;
  /** Below the card: other links. */
  aside?: ReactNode;
  /** Focuses the heading when the page appears. For pages that replace another one and have no field to focus. */
  takesFocus?: boolean;
};

/** A signed-out page: the logo, one card, and links to the operator's policies (ACC-08). */
export function PublicLayout({ heading, intro, children, aside, takesFocus = false }: Props) {
  const { productName, links } = useSettings();
  return (
    <Flex direction="column" minH="100dvh" bg="bg.subtle" px="4">
      <Flex
        as="main"
        direction="column"
        align="center"
        flex="1"
        w="full"
        maxW="420px"
        mx="auto"
        pt={{ base: '10', md: '14vh' }}
        pb="10"
      >
        <Logo productName={productName} />
        <Box
          w="full"
          mt="8"
          p={{ base: '6', sm: '8' }}
          bg="bg.panel"
          borderWidth="1px"
          borderRadius="l3"
          boxShadow="0 1px 2px rgb(16 24 40 / 4%), 0 8px 24px rgb(16 24 40 / 4%)"
        >
          <Heading
            as="h1"
            ref={takesFocus ? takeFocus : null}
            tabIndex={-1}
            outline="none"
            fontSize="2xl"
            lineHeight="1.3"
            fontWeight="semibold"
            letterSpacing="-0.02em"
            overflowWrap="anywhere"
          >
            {heading}
          </Heading>
          {intro ? (
            <Text as="div" mt="2" color="fg.muted" fontSize="sm" overflowWrap="anywhere">
              {intro}
            </Text>
          ) : null}
          {children ? <Box mt="6">{children}</Box> : null}
        </Box>
        {aside ? (
          <Text as="div" mt="6" fontSize="sm" color="fg.muted" textAlign="center" overflowWrap="anywhere">
            {aside}
          </Text>
        ) : null}
      </Flex>
      {links.terms || links.privacy ? (
        <Flex as="footer" justify="center" gap="6" py="6" fontSize="xs" color="fg.muted">
          {links.terms ? (
            <ExternalLink href={links.terms} _hover={{ color: 'fg' }}>
              Terms of Use
            </ExternalLink>
          ) : null}
          {links.privacy ? (
            <ExternalLink href={links.privacy} _hover={{ color: 'fg' }}>
              Privacy Policy
            </ExternalLink>
          ) : null}
        </Flex>
      ) : null}
    </Flex>
  );
}
