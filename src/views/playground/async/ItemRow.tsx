import { Flex, IconButton, Text } from '@chakra-ui/react';
import { Trash2 } from 'lucide-react';
import type { ReactNode, RefCallback } from 'react';
import type { Route } from '#machines/shared/route.ts';
import { ScreenLink } from '../../ui/ScreenLink.tsx';

type Props = {
  id: string;
  to: Route;
  name: string;
  /** Below the name. */
  details: ReactNode;
  /** After the name, such as a badge. */
  mark?: ReactNode;
  onDelete: () => void;
  rowRef: RefCallback<HTMLElement> | undefined;
};

/** A row of the library or the history: a link to the item, and a Delete button. */
export function ItemRow({ id, to, name, details, mark, onDelete, rowRef }: Props) {
  return (
    <Flex
      as="li"
      ref={rowRef}
      data-row={id}
      align="center"
      gap="1"
      borderRadius="l2"
      position="relative"
      _hover={{ bg: 'bg.muted' }}
      css={{ '&:has([aria-current])': { background: 'brand.subtle' } }}
    >
      <ScreenLink to={to} display="block" flex="1" minWidth="0" px="3" py="2" borderRadius="l2" focusRing="inside">
        <Flex align="center" gap="2" minWidth="0">
          <Text as="span" flex="1" fontSize="sm" fontWeight="medium" truncate title={name}>
            <bdi>{name}</bdi>
          </Text>
          {mark}
        </Flex>
        <Text as="span" display="block" fontSize="xs" color="fg.muted" mt="0.5">
          {details}
        </Text>
      </ScreenLink>
      <IconButton
        aria-label={`Delete ${name}`}
        title="Delete"
        size="sm"
        variant="ghost"
        me="1"
        color="fg.muted"
        onClick={onDelete}
      >
        <Trash2 size={15} aria-hidden />
      </IconButton>
    </Flex>
  );
}
