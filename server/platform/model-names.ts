/** Ids of the models, and aliases: the names that clients of the public API use by default. */

export const MODEL_NAMES = {
  real_time: { id: 'parlance-rt-1', aliases: ['stt-rt-v5', 'stt-rt-v4', 'stt-rt-v3', 'stt-rt-preview'] },
  async: { id: 'parlance-async-1', aliases: ['stt-async-v5', 'stt-async-v4', 'stt-async-v3', 'stt-async-preview'] },
} as const;

const BEHIND: ReadonlyMap<string, string> = new Map(
  Object.values(MODEL_NAMES).flatMap(({ id, aliases }) => aliases.map((alias) => [alias, id])),
);

/** The model's id for an alias; the name itself if it is no alias. */
export const modelBehind = (name: string): string => BEHIND.get(name) ?? name;
