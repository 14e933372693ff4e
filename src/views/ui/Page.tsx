import { Box, Flex, Heading, Text } from '@chakra-ui/react';
import type { ReactNode } from 'react';
import { takeFreeFocus } from '../../behaviours/takeFocus.ts';
import { CONTENT_ID } from './landmarks.ts';

type Props = {
  heading: string;
  /** One line below the heading. */
  intro?: ReactNode;
  /** Buttons beside the heading. */
  actions?: ReactNode;
  /** Whether the page takes the whole width; text and cards keep a readable width. */
  wide?: boolean;
  /** Focuses the heading of a page that appears without a navigation, unless something else has the focus. */
  takesFocus?: boolean;
  children?: ReactNode;
};

/** The main landmark and heading of a console page. The heading gets the focus after a navigation. */
export function Page({ heading, intro, actions, wide = false, takesFocus = false, children }: Props) {
  return (
    <Box
      as="main"
      id={CONTENT_ID}
      tabIndex={-1}
      outline="none"
      w="full"
      maxW={wide ? 'none' : '1080px'}
      px={{ base: '4', md: '8' }}
      py={{ base: '6', md: '10' }}
    >
      <Flex wrap="wrap" align="flex-start" justify="space-between" gap="4" mb={{ base: '6', md: '8' }}>
        <Box minW="0" flex="1 1 240px">
          <Heading
            as="h1"
            ref={takesFocus ? takeFreeFocus : null}
            tabIndex={-1}
            outline="none"
            fontSize={{ base: '2xl', md: '3xl' }}
            lineHeight="1.25"
            letterSpacing="-0.02em"
            fontWeight="semibold"
            overflowWrap="anywhere"
          >
            <bdi>{heading}</bdi>
          </Heading>
          {intro ? (
            <Text as="div" mt="2" color="fg.muted" overflowWrap="anywhere">
              {intro}
            </Text>
          ) : null}
        </Box>
        {actions ? (
          <Flex gap="3" wrap="wrap">
            {actions}
          </Flex>
        ) : null}
      </Flex>
      {children}
    </Box>
  );
}
