import { Box, chakra } from '@chakra-ui/react';
import type { ReactNode } from 'react';
import { takeFocus } from '../../behaviours/takeFocus.ts';
import { PlainInput } from './PlainInput.tsx';

export type TextFieldProps = {
  /** The id of the input, unique on the page. Hint, news and error have it with a suffix. */
  id: string;
  label: string;
  value: string;
  onChange: (value: string) => void;
  error?: string | undefined;
  hint?: ReactNode;
  /** A message about a change from elsewhere; announced. */
  news?: ReactNode;
  type?: 'text' | 'email' | 'password' | 'search';
  autoComplete?: string;
  /** The keyboard that phones show. */
  inputMode?: 'decimal';
  /** Focuses the field when it appears. Only for the first field of a page or dialog that is nothing but a form. */
  takesFocus?: boolean;
  required?: boolean;
  readOnly?: boolean;
  /** The rows of a multi-line field; undefined for a single line. */
  rows?: number;
  /** Id of a further element that describes the field. */
  describedBy?: string | undefined;
};

/** A text field with label, hint and error. The error is announced and describes the field. */
export function TextField({
  id,
  label,
  value,
  onChange,
  error,
  hint,
  news,
  type = 'text',
  autoComplete,
  inputMode,
  takesFocus,
  required,
  readOnly,
  rows,
  describedBy,
}: TextFieldProps) {
  const described = [describedBy ?? '', hint ? `${id}-hint` : '', news ? `${id}-news` : '', error ? `${id}-error` : '']
    .filter(Boolean)
    .join(' ');
  const shared = {
    id,
    name: id,
    value,
    // Not `required`: the chart validates, and the browser's own messages would come first.
    'aria-required': required ?? false,
    'aria-invalid': Boolean(error),
    readOnly: readOnly ?? false,
    // Typed text keeps the writing direction of its language (CON-24).
    ...(type === 'password' ? {} : { dir: 'auto' }),
    onChange: ({ target }: { target: { value: string } }) => onChange(target.value),
    ...(described ? { 'aria-describedby': described } : {}),
    ...(autoComplete ? { autoComplete } : {}),
    ...(inputMode ? { inputMode } : {}),
    // Dialogs focus the element with `data-autofocus`, else their first one.
    ...(takesFocus ? { ref: takeFocus, 'data-autofocus': '' } : {}),
  };
  return (
    <Box>
      <chakra.label htmlFor={id} display="block" mb="1.5" fontSize="sm" fontWeight="medium">
        {label}
      </chakra.label>
      {rows ? (
        <PlainInput
          as="textarea"
          {...shared}
          {...{ rows }}
          height="auto"
          py="2"
          resize="vertical"
          bg="bg"
          css={invalid}
        />
      ) : (
        <PlainInput
          {...shared}
          {...(type === 'email' ? ADDRESS : { type })}
          bg="bg"
          spellCheck={type === 'text'}
          css={invalid}
        />
      )}
      {hint ? (
        <Box id={`${id}-hint`} mt="1.5" fontSize="sm" color="fg.muted">
          {hint}
        </Box>
      ) : null}
      <Box id={`${id}-news`} aria-live="polite" fontSize="sm" overflowWrap="anywhere">
        {news ? <Box mt="1.5">{news}</Box> : null}
      </Box>
      <Box id={`${id}-error`} aria-live="polite" fontSize="sm" color="fg.error">
        {error ? <Box mt="1.5">{error}</Box> : null}
      </Box>
    </Box>
  );
}

// Not `type="email"`: Chromium rewrites non-ASCII domains while they are typed (CON-09).
const ADDRESS = { type: 'text', inputMode: 'email', autoCapitalize: 'none', autoCorrect: 'off' } as const;

const invalid = {
  '&[aria-invalid=true]': { borderColor: 'fg.error' },
  '&:hover:not([aria-invalid=true], :focus-visible)': { borderColor: 'fg.subtle' },
};
