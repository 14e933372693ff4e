/** An action or a guard `type` whose parameters are the event itself. */
export const withEvent = <const Type extends string>(type: Type) => ({
  type,
  params: <Given>({ event }: { event: Given }): Given => event,
});

/** The same, whose parameters are what the actor that is done has put out. */
export const withOutput = <const Type extends string>(type: Type) => ({
  type,
  params: <Output>({ event }: { event: { output: Output } }): Output => event.output,
});
