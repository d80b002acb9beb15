import { type Runner, Statement } from '../sql/statement.ts'

/** Runs a text of a test in a scope; what the program runs are statements that the check of all of them sees. */
export function raw<Row = Record<string, unknown>>(
  scope: Pick<Runner, 'run'>,
  text: string,
  params?: readonly unknown[],
) {
  return scope.run(new Statement<Row>(text), params)
}
