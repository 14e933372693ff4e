import { type HTMLChakraProps, type RecipeProps, Box, chakra, createRecipeContext } from '@chakra-ui/react';
import type { ReactNode } from 'react';
import { takeFocus } from '../../behaviours/takeFocus.ts';

// Chakra's own Input brings a state machine library along, too much for the signed-out pages.
const NativeInput = createRecipeContext({ key: 'input' }).withContext<
  HTMLInputElement,
  HTMLChakraProps<'input', RecipeProps<'input'>>
>('input');

export type TextFieldProps = {
  /** Unique on the page; also the id of the field, and of its hint and error with a suffix. */
  id: string;
  label: string;
  value: string;
  onChange: (value: string) => void;
  error?: string | undefined;
  hint?: ReactNode;
  /** What has happened to the field meanwhile; announced. */
  news?: ReactNode;
  type?: 'text' | 'email' | 'password' | 'search';
  autoComplete?: string;
  /** Which keys a phone shows. */
  inputMode?: 'decimal';
  /** Only for the first field of a page or dialog that is nothing but a form. */
  takesFocus?: boolean;
  required?: boolean;
  readOnly?: boolean;
  /** Rows of a field for several lines; one line without it. */
  rows?: number;
  /** Id of something else on the page that is told with the field. */
  describedBy?: string | undefined;
};

/** A labelled text field with its hint and its error; the error is announced and bound to the field. */
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
    // Not `required`: the chart validates and says what is wrong, the browser's bubbles would come first.
    'aria-required': required ?? false,
    'aria-invalid': Boolean(error),
    readOnly: readOnly ?? false,
    // What people type has the direction of their own language (CON-24).
    ...(type === 'password' ? {} : { dir: 'auto' }),
    onChange: ({ target }: { target: { value: string } }) => onChange(target.value),
    ...(described ? { 'aria-describedby': described } : {}),
    ...(autoComplete ? { autoComplete } : {}),
    ...(inputMode ? { inputMode } : {}),
    // A dialog asks for the mark, and would give the focus to what comes first in it.
    ...(takesFocus ? { ref: takeFocus, 'data-autofocus': '' } : {}),
  };
  return (
    <Box>
      <chakra.label htmlFor={id} display="block" mb="1.5" fontSize="sm" fontWeight="medium">
        {label}
      </chakra.label>
      {rows ? (
        <NativeInput
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
        <NativeInput
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

// Not the browser's own type: Chromium rewrites a domain beyond ASCII as it is typed, so that the person sees another address (CON-09).
const ADDRESS = { type: 'text', inputMode: 'email', autoCapitalize: 'none', autoCorrect: 'off' } as const;

const invalid = {
  '&[aria-invalid=true]': { borderColor: 'fg.error' },
  '&:hover:not([aria-invalid=true], :focus-visible)': { borderColor: 'fg.subtle' },
};
