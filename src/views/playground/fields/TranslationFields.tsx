import type { Model } from '#contract/models.ts';
import type { TranslationChoice, TranslationEvent } from '#machines/playground/settings/change.ts';
import {
  canTranslate,
  languageAChoices,
  languageBChoices,
  oneWayTargets,
} from '#machines/playground/settings/choices.ts';
import type { TranslationType } from '#machines/playground/settings/types.ts';
import { SelectField } from '../../ui/SelectField.tsx';

type Props = {
  model: Model | null;
  choice: TranslationChoice;
  send: (event: TranslationEvent) => void;
  /** Why the fields cannot be changed now; null if they can. */
  locked: string | null;
};

const TYPES = [
  { type: 'one_way', label: 'One-way' },
  { type: 'two_way', label: 'Two-way' },
] as const satisfies readonly { type: TranslationType; label: string }[];

/** Marks an empty field that the translation needs (CON-13). */
const needed = (isMissing: boolean) => (isMissing ? { isMissing, hint: 'Needed for the translation.' } : {});

/** One-way or two-way translation, or none: pressing the chosen kind again turns it off (ASY-15, ASY-16). */
export function TranslationFields({ model, choice, send, locked }: Props) {
  const isSupported = TYPES.some(({ type }) => canTranslate(model, type));
  const reason = isSupported ? locked : 'This model does not translate.';
  return (
    <div className="settings-group">
      <fieldset
        className="translation"
        aria-labelledby="translation-label"
        {...(reason ? { 'aria-describedby': 'translation-reason' } : {})}
      >
        <p className="field-label" id="translation-label">
          Translation
        </p>
        <div className="translation-types">
          {TYPES.map(({ type, label }) => (
            <button
              key={type}
              type="button"
              className={choice.type === type ? 'button-solid-sm' : 'button-outline-sm'}
              aria-pressed={choice.type === type}
              disabled={locked !== null || !canTranslate(model, type)}
              onClick={() => send({ type: 'translation.toggled', translationType: type })}
            >
              {label}
            </button>
          ))}
        </div>
        {reason && (
          <p className="field-hint" id="translation-reason">
            {reason}
          </p>
        )}
      </fieldset>
      {choice.type === 'one_way' && (
        <SelectField
          id="translation-target"
          label="Target language"
          none="Choose a language"
          value={choice.target}
          choices={oneWayTargets(model)}
          isDisabled={locked !== null}
          {...needed(choice.target === null)}
          onChange={(code) => send({ type: 'targetLanguage.selected', code })}
        />
      )}
      {choice.type === 'two_way' && (
        <>
          <SelectField
            id="translation-a"
            label="Language A"
            none="Choose a language"
            value={choice.languageA}
            choices={languageAChoices(model)}
            isDisabled={locked !== null}
            {...needed(choice.languageA === null)}
            onChange={(code) => send({ type: 'languageA.selected', code })}
          />
          <SelectField
            id="translation-b"
            label="Language B"
            none="Choose a language"
            value={choice.languageB}
            choices={languageBChoices(model, choice.languageA)}
            isDisabled={locked !== null || choice.languageA === null}
            {...(choice.languageA === null ? { hint: 'Choose language A first.' } : needed(choice.languageB === null))}
            onChange={(code) => send({ type: 'languageB.selected', code })}
          />
        </>
      )}
    </div>
  );
}
