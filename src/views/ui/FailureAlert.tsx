import { Box, Flex, Text } from '@chakra-ui/react';
import type { ReactNode } from 'react';
import { type Failure, isEveryday } from '#machines/shared/failure.ts';
import { CopyButton } from './CopyButton.tsx';
import { AlertSign } from './signs.tsx';

type Shown = Pick<Failure, 'message'> & Partial<Omit<Failure, 'message'>>;

type Props = {
  failure: Shown | null | undefined;
  /** A headline above the message. */
  title?: string;
  /** For example a Retry button. */
  children?: ReactNode;
};

/** A red box with a failure's message, and the request id if the server failed. Renders nothing without a failure. */
export function FailureAlert({ failure, title, children }: Props) {
  if (!failure) return null;
  return (
    <Flex
      role="alert"
      gap="3"
      p="4"
      borderRadius="l2"
      bg="bg.error"
      borderWidth="1px"
      borderColor="border.error"
      color="fg.error"
      fontSize="sm"
    >
      <Box flexShrink="0" mt="0.5">
        <AlertSign size={18} />
      </Box>
      <Box minW="0" flex="1">
        {title ? <Text fontWeight="semibold">{title}</Text> : null}
        <Text whiteSpace="pre-line" overflowWrap="anywhere">
          {failure.message}
        </Text>
        {failure.requestId && !isEveryday(failure) ? (
          <Flex align="center" gap="1" mt="1" fontSize="xs">
            <Text overflowWrap="anywhere">{`Request ${failure.requestId}`}</Text>
            <CopyButton text={failure.requestId} label="Request ID" />
          </Flex>
        ) : null}
        {children ? <Box mt="3">{children}</Box> : null}
      </Box>
    </Flex>
  );
}
