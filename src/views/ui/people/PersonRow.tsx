import { Flex, Heading, Text } from '@chakra-ui/react';
import type { ReactNode } from 'react';
import { Panel } from '../Panel.tsx';

type RowsProps = { label: string; heading?: string; empty?: ReactNode; children: readonly ReactNode[] };

/** A list of people. Takes the focus when its last row is removed. */
export function Rows({ label, heading, empty, children }: RowsProps) {
  return (
    <>
      {heading ? (
        <Heading as="h2" mt="10" mb="4" fontSize="lg" fontWeight="semibold">
          {heading}
        </Heading>
      ) : null}
      <Panel p="0" role="group" aria-label={label} data-rows={label} tabIndex={-1} outline="none">
        {children.length > 0 ? (
          <Flex as="ul" direction="column" listStyleType="none" aria-label={label}>
            {children}
          </Flex>
        ) : (
          <Text p="5" fontSize="sm" color="fg.muted">
            {empty}
          </Text>
        )}
      </Panel>
    </>
  );
}

type RowProps = {
  id: string;
  name: ReactNode;
  details: ReactNode;
  mark: ReactNode;
  /** Buttons. */ children: ReactNode;
};

/** A person's name, role and buttons; on narrow screens the buttons wrap below. */
export function PersonRow({ id, name, details, mark, children }: RowProps) {
  return (
    <Flex
      as="li"
      data-row={id}
      wrap="wrap"
      align="center"
      gap="3"
      px={{ base: '4', md: '5' }}
      py="4"
      borderBottomWidth="1px"
      _last={{ borderBottomWidth: 0 }}
    >
      <Flex direction="column" flex="1 1 220px" minW="0">
        <Flex align="center" wrap="wrap" columnGap="2" rowGap="1">
          <Text as="span" minW="0" fontWeight="medium" overflowWrap="anywhere">
            {name}
          </Text>
          {mark}
        </Flex>
        <Text as="div" mt="0.5" fontSize="sm" color="fg.muted" overflowWrap="anywhere">
          {details}
        </Text>
      </Flex>
      <Flex align="center" wrap="wrap" gap="2">
        {children}
      </Flex>
    </Flex>
  );
}
