import { Flex, Text } from '@chakra-ui/react';
import { FlaskConical } from 'lucide-react';
import { useSettings } from '../ui/state.ts';

/** Says that payments are tests. Renders nothing if they are real. */
export function TestModeNote() {
  const { payments } = useSettings();
  if (payments !== 'test') return null;
  return (
    <Flex
      role="note"
      align="center"
      gap="2.5"
      width="fit-content"
      px="3"
      py="2"
      borderRadius="l2"
      borderWidth="1px"
      borderColor="border.warning"
      bg="bg.warning"
      color="fg"
      fontSize="sm"
      fontWeight="medium"
    >
      <FlaskConical size={16} aria-hidden />
      <Text>Test mode: no money moves.</Text>
    </Flex>
  );
}
