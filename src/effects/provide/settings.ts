/** The calls of the settings of an organization or a project. */
import { fromPromise } from 'xstate';
import type { Submitted } from '#machines/shared/form/types.ts';
import type { DeletionAbout, Place, PlaceDetails, PlaceFields } from '#machines/workspace/settings/place/actors.ts';
import type { createSettings } from '#machines/workspace/settings/place/machine.ts';

type Calls = {
  load: (place: Place, signal: AbortSignal) => Promise<PlaceDetails>;
  save: (place: Place, values: PlaceFields, signal: AbortSignal) => Promise<PlaceDetails>;
  remove: (about: DeletionAbout, signal: AbortSignal) => Promise<void>;
};

/** The effects of the settings' chart. */
export const settingsOf = (
  { detailsForm, deletionForm }: ReturnType<typeof createSettings>,
  { load, save, remove }: Calls,
) => ({
  loadDetails: fromPromise<PlaceDetails, Place>(({ input, signal }) => load(input, signal)),
  detailsForm: detailsForm.provide({
    actors: {
      submit: fromPromise<PlaceDetails, Submitted<PlaceFields, Place>>(({ input: { about, values }, signal }) =>
        save(about, values, signal),
      ),
    },
  }),
  deletionForm: deletionForm.provide({
    actors: {
      submit: fromPromise<void, Submitted<{ typed: string }, DeletionAbout>>(({ input: { about }, signal }) =>
        remove(about, signal),
      ),
    },
  }),
});
