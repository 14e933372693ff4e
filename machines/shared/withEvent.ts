/** An action or a guard `type` whose parameters are the event itself. */
export const withEvent = <const Type extends string>(type: Type) => ({
  type,
  params: <Given>({ event }: { event: Given }): Given => event,
});

/** An action or a guard `type` whose parameters are the output of the actor that is done. */
export const withOutput = <const Type extends string>(type: Type) => ({
  type,
  params: <Output>({ event }: { event: { output: Output } }): Output => event.output,
});
