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
    <div className="context">
      <label className="field-label" htmlFor={id}>
        Context
      </label>
      <textarea
        id={id}
        className="textarea"
        dir="auto"
        rows={3}
        value={value}
        spellCheck={!isStructured}
        placeholder={isStructured ? EXAMPLE : 'Names, terms, what it is about'}
        data-json={isStructured || undefined}
        disabled={isDisabled}
        aria-invalid={isTooLong || problem !== null}
        aria-describedby={`${id}-hint ${id}-count ${id}-error`}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
      <div className="context-notes">
        <p id={`${id}-hint`}>
          {(isStructured
            ? 'Names and terms to expect. JSON with general, text, terms and translation_terms.'
            : 'Plain text.') + (isInvalidJson ? ' This is not valid JSON yet.' : '')}
        </p>
        <p id={`${id}-count`} data-error={isTooLong || undefined}>
          <span>
            {`${count === value.length ? '' : 'Sent: '}${formatNumber(count)} / ${formatNumber(CONTEXT_MAX_CHARS)}`}
          </span>
          <span className="sr-only"> characters</span>
        </p>
      </div>
      <div className="context-error" id={`${id}-error`} aria-live="polite">
        {isTooLong ? <p>{OBSTACLE_TEXTS.contextTooLong}</p> : null}
        {problem === null ? null : <p>{problem}</p>}
      </div>
    </div>
  );
}
