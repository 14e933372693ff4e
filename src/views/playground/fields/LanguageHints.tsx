import { Box, Input } from '@chakra-ui/react';
import { ChevronDown } from 'lucide-react';
import type { Model } from '#contract/models.ts';
import { hintsDisabled } from '#machines/playground/settings/choices.ts';
import { foundText, languagesFor, SEARCHED_FROM } from '#machines/playground/languageSearch/select.ts';
import { useSelector } from '@xstate/react';
import { CheckBox } from '../../ui/CheckBox.tsx';
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
    <fieldset
      className="hints"
      disabled={isDisabled || isUnsupported}
      {...(reason ? { 'aria-describedby': 'language-hints-reason' } : {})}
    >
      <legend className="field-label">Language hints</legend>
      {isUnsupported ? null : (
        <details className="disclosure">
          <summary data-chosen={names.length > 0 || undefined}>
            <span>{names.length > 0 ? names.join(', ') : withoutHints(languages)}</span>
            <ChevronDown size={16} aria-hidden />
          </summary>
          <Languages model={model} isOn={(code) => hints.includes(code)} onToggle={toggle} />
        </details>
      )}
      <div id="language-hints-reason">{reason && <p className="field-hint">{reason}</p>}</div>
    </fieldset>
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
      <section className="hints-list" tabIndex={0} aria-label="Languages">
        {found.map(({ code, name }) => (
          <div key={code}>
            <CheckBox checked={isOn(code)} onToggle={(isChecked) => onToggle(code, isChecked)}>
              {name}
            </CheckBox>
          </div>
        ))}
      </section>
      <output>{foundText(query, found.length, languages.length)}</output>
    </>
  );
}
