/** Where a chart begins if most of its period lies before the first use. */

/** How many steps a chart draws at least. */
const STEPS_MIN = 7;

type Values = { values: readonly number[] };

/** The step of the first use, and the step at which a chart begins: near it, or with the period. */
export function firstUseOf(series: readonly Values[]): { used: number; from: number } {
  const count = Math.max(0, ...series.map(({ values }) => values.length));
  const firsts = series.map(({ values }) => values.findIndex((value) => value > 0)).filter((index) => index >= 0);
  const used = Math.min(count, ...firsts);
  const isLate = used < count && used * 2 > count;
  return { used, from: isLate ? Math.max(0, Math.min(used, count - STEPS_MIN)) : 0 };
}

/** Series and steps of a chart from the first use on, and when that was; null if the chart begins with the period. */
export function sinceFirstUse<Drawn extends Values>(series: readonly Drawn[], stepStarts: readonly string[]) {
  const { used, from } = firstUseOf(series);
  return {
    series: series.map((one) => ({ ...one, values: one.values.slice(from) })),
    stepStarts: stepStarts.slice(from),
    firstUse: from > 0 ? (stepStarts[used] ?? null) : null,
  };
}
