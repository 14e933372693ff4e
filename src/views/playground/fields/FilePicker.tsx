import { Box, chakra } from '@chakra-ui/react';
import { FolderOpen } from 'lucide-react';

type Props = {
  id: string;
  label: string;
  onFile: (file: File) => void;
  isDisabled?: boolean;
  describedBy?: string;
};

/** A native file input that looks like a button. Accepts audio and video files. */
export function FilePicker({ id, label, onFile, isDisabled = false, describedBy }: Props) {
  return (
    <Box position="relative" display="inline-flex" flexShrink="0">
      <chakra.input
        type="file"
        id={id}
        accept="audio/*,video/*"
        disabled={isDisabled}
        srOnly
        className="peer"
        {...(describedBy ? { 'aria-describedby': describedBy } : {})}
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0];
          if (file) onFile(file);
          // Otherwise choosing the same file again would fire no event.
          currentTarget.value = '';
        }}
      />
      <chakra.label
        htmlFor={id}
        display="inline-flex"
        alignItems="center"
        justifyContent="center"
        gap="2"
        px="4"
        height="10"
        borderRadius="l2"
        borderWidth="1px"
        borderColor="border.control"
        bg="bg"
        fontSize="sm"
        fontWeight="medium"
        whiteSpace="nowrap"
        cursor="pointer"
        _hover={{ bg: 'bg.muted' }}
        _peerFocusVisible={{
          outlineWidth: '2px',
          outlineStyle: 'solid',
          outlineColor: 'brand.focusRing',
          outlineOffset: '2px',
        }}
        _peerDisabled={{ opacity: 0.5, cursor: 'not-allowed' }}
      >
        <FolderOpen size={16} aria-hidden />
        <span>{label}</span>
      </chakra.label>
    </Box>
  );
}
