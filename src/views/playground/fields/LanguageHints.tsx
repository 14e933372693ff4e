import { Box, Input, SimpleGrid, Text, chakra } from '@chakra-ui/react';
import type { Model } from '#contract/models.ts';
import { hintsDisabled } from '#machines/playground/settings/choices.ts';
import { filterChoices } from '../../../behaviours/filterChoices.ts';

type Props = {
  model: Model | null;
  hints: readonly string[];
  onChange: (hints: string[]) => void;
  isDisabled?: boolean;
};

/** More languages than this are searched rather than looked through. */
const FEW = 12;

/** Which languages to expect: any number of those that the model knows (ASY-17). */
export function LanguageHints({ model, hints, onChange, isDisabled = false }: Props) {
  const isWithout = hintsDisabled(model);
  const reason = isWithout ? 'This model does not take language hints.' : null;
  const languages = model?.languages ?? [];
  const names = languages.filter(({ code }) => hints.includes(code)).map(({ name }) => name);
  const toggle = (code: string, isOn: boolean) =>
    onChange(isOn ? [...hints, code] : hints.filter((hint) => hint !== code));
  return (
    <chakra.fieldset
      disabled={isDisabled || isWithout}
      minWidth="0"
      {...(reason ? { 'aria-describedby': 'language-hints-reason' } : {})}
    >
      <chakra.legend fontSize="sm" fontWeight="medium" mb="1.5">
        Language hints
      </chakra.legend>
      {isWithout ? null : (
        <chakra.details
          borderWidth="1px"
          borderRadius="l2"
          bg="bg"
          css={{ '&[open] > summary': { borderBottomWidth: '1px' } }}
        >
          <chakra.summary
            px="3"
            py="2"
            fontSize="sm"
            cursor="pointer"
            borderRadius="l2"
            focusRing="outside"
            overflowWrap="anywhere"
            color={names.length > 0 ? 'fg' : 'fg.muted'}
          >
            {names.length > 0 ? names.join(', ') : 'Any language'}
          </chakra.summary>
          {/* Another model is another list: a search in the last one means nothing to it. */}
          <Box key={model?.id} {...(languages.length > FEW ? { ref: filterChoices } : {})}>
            {languages.length > FEW && (
              <Box p="2" pb="0">
                <Input
                  type="search"
                  size="sm"
                  bg="bg"
                  aria-label="Search languages"
                  placeholder="Search languages"
                  autoComplete="off"
                  data-choice-search
                />
              </Box>
            )}
            <SimpleGrid
              minChildWidth="120px"
              gap="1"
              p="2"
              maxHeight="200px"
              overflowY="auto"
              as="section"
              tabIndex={0}
              aria-label="Languages"
              focusRing="inside"
            >
              {languages.map(({ code, name }) => (
                <chakra.label
                  key={code}
                  data-choice={`${name} ${code}`}
                  display="flex"
                  alignItems="center"
                  gap="2"
                  px="1.5"
                  py="1"
                  fontSize="sm"
                  borderRadius="l1"
                  _hover={{ bg: 'bg.muted' }}
                  css={{ '&[hidden]': { display: 'none' } }}
                >
                  <chakra.input
                    type="checkbox"
                    accentColor="var(--chakra-colors-brand-solid)"
                    boxSize="4"
                    flexShrink="0"
                    checked={hints.includes(code)}
                    onChange={({ currentTarget }) => toggle(code, currentTarget.checked)}
                  />
                  {name}
                </chakra.label>
              ))}
            </SimpleGrid>
            <Text as="output" display="block" px="3" pb="2" fontSize="xs" color="fg.muted" data-choice-count />
          </Box>
        </chakra.details>
      )}
      <Box id="language-hints-reason">
        {reason && (
          <Text mt="1.5" fontSize="xs" color="fg.muted">
            {reason}
          </Text>
        )}
      </Box>
    </chakra.fieldset>
  );
}
