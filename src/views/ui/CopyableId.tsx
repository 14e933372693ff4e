import { Flex } from '@chakra-ui/react';
import { CopyButton } from './CopyButton.tsx';
import { InlineCode } from './InlineCode.tsx';

/** An id with a copy button. @param label names the id: "Project UUID" */
export function CopyableId({ id, label }: { id: string; label: string }) {
  return (
    <Flex align="center" gap="1" color="fg.muted" fontSize="sm" minW="0">
      <InlineCode fontSize="xs" truncate title={id}>
        {id}
      </InlineCode>
      <CopyButton text={id} label={label} />
    </Flex>
  );
}
