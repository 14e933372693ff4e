import { Box, Flex, Text, Textarea, chakra } from '@chakra-ui/react';
import type { Model } from '#contract/models.ts';
import { CONTEXT_MAX_CHARS } from '#contract/translation.ts';
import { countedCharacters, parseJson, takesJson } from '#machines/playground/settings/context.ts';
import { OBSTACLE_TEXTS } from '#machines/playground/settings/obstacles.ts';

type Props = {
  id: string;
  model: Model | null;
  value: string;
  onChange: (context: string) => void;
  /** What is wrong with it, as the server says. */
  problem?: string | null;
  isDisabled?: boolean;
};

const EXAMPLE = '{"terms": ["Parlance"], "text": "A call about invoices."}';

const formatNumber = (count: number) => count.toLocaleString('en');

/** What the recording is about; JSON for models of context version 2 (LIV-17). Never cuts a long text (CON-27). */
export function ContextField({ id, model, value, onChange, problem = null, isDisabled = false }: Props) {
  const isStructured = takesJson(model);
  const isInvalidJson = isStructured && value.trim() !== '' && parseJson(value) === null;
  const count = countedCharacters(value, model);
  const isTooLong = count > CONTEXT_MAX_CHARS;
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
        spellCheck={!isStructured}
        placeholder={isStructured ? EXAMPLE : 'Names, terms, what it is about'}
        fontFamily={isStructured ? 'mono' : 'body'}
        fontSize={isStructured ? 'xs' : 'sm'}
        resize="vertical"
        disabled={isDisabled}
        aria-invalid={isTooLong || problem !== null}
        aria-describedby={`${id}-hint ${id}-count ${id}-error`}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
      <Flex justify="space-between" gapX="3" gapY="1" wrap="wrap" mt="1.5" fontSize="xs" color="fg.muted">
        <Text id={`${id}-hint`} flex="1 1 8rem">
          {(isStructured
            ? 'Names and terms to expect, as JSON. The server reads general, text, terms and translation_terms.'
            : 'Plain text.') + (isInvalidJson ? ' This is not valid JSON yet.' : '')}
        </Text>
        <Text
          id={`${id}-count`}
          flexShrink="0"
          fontVariantNumeric="tabular-nums"
          color={isTooLong ? 'fg.error' : 'fg.muted'}
        >
          <span>
            {`${count === value.length ? '' : 'Sent: '}${formatNumber(count)} / ${formatNumber(CONTEXT_MAX_CHARS)}`}
          </span>
          <chakra.span srOnly> characters</chakra.span>
        </Text>
      </Flex>
      <Box id={`${id}-error`} aria-live="polite" fontSize="xs" color="fg.error">
        {isTooLong ? <Text mt="1">{OBSTACLE_TEXTS.contextTooLong}</Text> : null}
        {problem === null ? null : (
          <Text mt="1" overflowWrap="anywhere">
            {problem}
          </Text>
        )}
      </Box>
    </Box>
  );
}
