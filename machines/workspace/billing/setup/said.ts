// What a saved form says.
import type { BillingSettings } from '#contract/billing.ts';
import type { ToastRequested } from '../../../shared/appServices.ts';
import { givenAnswer } from '../../../shared/form/ends.ts';
import type { FormResult } from '../../../shared/form/types.ts';
import { successToast } from '../../say.ts';
import type { Paying } from './actors.ts';

type Saved = { context: { paying: Paying | null }; event: { output: FormResult<BillingSettings, unknown> } };

/** An action with a toast that says what became of autopay. Before the answer is stored: compares with what was read. */
export const sayAutopay = {
  type: 'sendToApp',
  params: ({ context: { paying }, event }: Saved): ToastRequested => {
    const { enabled } = givenAnswer('answer').params({ event }).autopay;
    const did = enabled === paying?.settings.autopay.enabled ? 'saved' : `turned ${enabled ? 'on' : 'off'}`;
    return successToast(`Success! Autopay was ${did}.`);
  },
} as const;
