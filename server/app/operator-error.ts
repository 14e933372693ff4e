import { Refusal } from '../platform/refusal.ts';

/** The operator's command cannot be done; the message says why. */
export class OperatorError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'OperatorError';
  }
}

/** Whether the operator reads an error's message as it is: it comes from the command, or from a rule that refuses. */
export const isForOperator = (error: unknown): error is OperatorError | Refusal =>
  error instanceof OperatorError || error instanceof Refusal;
