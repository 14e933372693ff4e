export type Failure = { name: string; again: string };
export type Result = {
  passed: number;
  failures: Failure[];
  secondTries: string[];
  tests: { name: string; seconds: number }[];
};
export function readVitest(report: object, root: string): Result;
export function readPlaywright(report: object): Result;
export function resultOf(runner: { name: string; again: string; isOk: boolean; read: () => Result }): Result;
export function tooManySecondTries(names: readonly string[]): Failure[];
