/** The password estimator with its dictionaries: half a megabyte, fetched when a form for a new password opens. */
import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary as common } from '@zxcvbn-ts/language-common';
import { dictionary as english, translations } from '@zxcvbn-ts/language-en';
import { ESTIMATOR_LIMITS, type PasswordEstimator } from '#contract/passwords.ts';

const zxcvbn = new ZxcvbnFactory({
  dictionary: { ...common, ...english },
  graphs: adjacencyGraphs,
  translations,
  ...ESTIMATOR_LIMITS,
});

export const estimate: PasswordEstimator = (password, words) => zxcvbn.check(password, words);
