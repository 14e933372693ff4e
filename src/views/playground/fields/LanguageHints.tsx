import { Box, Input, SimpleGrid, Text, chakra } from '@chakra-ui/react';
import type { Model } from '#contract/models.ts';
import { hintsDisabled } from '#machines/playground/settings/choices.ts';
import { foundText, languagesFor, SEARCHED_FROM } from '#machines/playground/languageSearch/select.ts';
import { useSelector } from '@xstate/react';
import { CheckBox } from '../../ui/CheckBox.tsx';
import { Disclosure } from '../../ui/Disclosure.tsx';
import { useLanguageSearch } from '../state.ts';

type Props = {
  model: Model | null;
  hints: readonly string[];
  onChange: (hints: string[]) => void;
  isDisabled?: boolean;
};

/** Chooses the languages to expect: any number of the model's languages (ASY-17). */
export function LanguageHints({ model, hints, onChange, isDisabled = false }: Props) {
  const isUnsupported = hintsDisabled(model);
  const reason = isUnsupported ? 'This model does not take language hints.' : null;
  const languages = model?.languages ?? [];
  const names = languages.filter(({ code }) => hints.includes(code)).map(({ name }) => name);
  const toggle = (code: string, isOn: boolean) =>
    onChange(isOn ? [...hints, code] : hints.filter((hint) => hint !== code));
  return (
    <chakra.fieldset
      disabled={isDisabled || isUnsupported}
      minWidth="0"
      {...(reason ? { 'aria-describedby': 'language-hints-reason' } : {})}
    >
      <chakra.legend fontSize="sm" fontWeight="medium" mb="1.5">
        Language hints
      </chakra.legend>
      {isUnsupported ? null : (
        <Disclosure
          borderWidth="1px"
          borderColor="border.control"
          borderRadius="l2"
          bg="bg"
          summary={names.length > 0 ? names.join(', ') : withoutHints(languages)}
          summaryProps={{ px: '3', py: '2', borderRadius: 'l2', color: names.length > 0 ? 'fg' : 'fg.muted' }}
        >
          <Languages model={model} isOn={(code) => hints.includes(code)} onToggle={toggle} />
        </Disclosure>
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

/** The languages that a model recognizes without hints. */
const withoutHints = (languages: Model['languages']): string =>
  languages.length === 1 && languages[0] ? `${languages[0].name} only` : 'Any language';

type ListProps = {
  model: Model | null;
  isOn: (code: string) => boolean;
  onToggle: (code: string, isOn: boolean) => void;
};

/** The model's languages that match the search. */
function Languages({ model, isOn, onToggle }: ListProps) {
  const search = useLanguageSearch();
  const query = useSelector(search, ({ context }) => (context.modelId === model?.id ? context.query : ''));
  const languages = model?.languages ?? [];
  const found = languagesFor(languages, query);
  return (
    <>
      {model && languages.length >= SEARCHED_FROM ? (
        <Box p="2" pb="0">
          <Input
            type="search"
            size="sm"
            bg="bg"
            aria-label="Search languages"
            placeholder="Search languages"
            autoComplete="off"
            value={query}
            onChange={({ currentTarget }) =>
              search.send({ type: 'query.changed', query: currentTarget.value, modelId: model.id })
            }
            onKeyDown={(event) => {
              if (event.key !== 'Escape' || !search.getSnapshot().can({ type: 'query.cleared' })) return;
              event.stopPropagation();
              event.preventDefault();
              search.send({ type: 'query.cleared' });
            }}
          />
        </Box>
      ) : null}
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
        {found.map(({ code, name }) => (
          <Box key={code} px="1.5" py="1" borderRadius="l1" _hover={{ bg: 'bg.muted' }}>
            <CheckBox checked={isOn(code)} onToggle={(isChecked) => onToggle(code, isChecked)}>
              {name}
            </CheckBox>
          </Box>
        ))}
      </SimpleGrid>
      <Text as="output" display="block" px="3" pb="2" fontSize="xs" color="fg.muted">
        {foundText(query, found.length, languages.length)}
      </Text>
    </>
  );
}
