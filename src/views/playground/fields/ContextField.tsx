import { Box, Text, Textarea, chakra } from '@chakra-ui/react';
import type { Model } from '#contract/models.ts';
import { CONTEXT_MAX_CHARS, parseStructuredContext } from '#contract/translation.ts';

type Props = {
  id: string;
  model: Model | null;
  value: string;
  onChange: (context: string) => void;
  isDisabled?: boolean;
};

const EXAMPLE = '{"terms": ["Parlance"], "text": "A call about invoices."}';

/** What the recording is about, to help the recognizer; JSON for models of context version 2 (LIV-17). */
export function ContextField({ id, model, value, onChange, isDisabled = false }: Props) {
  const isStructured = model?.context_version === 2;
  const isUnfit = isStructured && value.trim() !== '' && parseStructuredContext(value) === null;
  return (
    <Box>
      <chakra.label htmlFor={id} display="block" mb="1.5" fontSize="sm" fontWeight="medium">
        Context
      </chakra.label>
      <Textarea
        id={id}
        dir="auto"
        bg="bg"
        rows={3}
        value={value}
        maxLength={CONTEXT_MAX_CHARS}
        spellCheck={!isStructured}
        placeholder={isStructured ? EXAMPLE : 'Names, terms, what it is about'}
        fontFamily={isStructured ? 'mono' : 'body'}
        fontSize={isStructured ? 'xs' : 'sm'}
        resize="vertical"
        disabled={isDisabled}
        aria-describedby={`${id}-hint`}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
      <Text id={`${id}-hint`} mt="1.5" fontSize="xs" color="fg.muted">
        {isStructured ? 'A JSON object with general, text, terms or translation_terms.' : `Plain text, at most ${CONTEXT_MAX_CHARS} characters.`}
        {isUnfit && ' This is not such an object yet.'}
      </Text>
    </Box>
  );
}
