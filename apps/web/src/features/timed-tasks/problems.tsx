import { createContext, use } from 'react'
import { ApiError } from '../../lib/api/api-error.ts'
import css from './timed-tasks.module.css'

/** What the server said of single fields, by their paths. */
export type Problems = Readonly<Record<string, { code: string; message: string }>>

const Context = createContext<Problems>({})
export const ProblemsProvider = Context.Provider

export const problemsOf = (failure: unknown): Problems => (failure instanceof ApiError ? failure.fields : {})

/** Whether a code was said at a path. */
export function useProblemCode(path: string): string | undefined {
  return use(Context)[path]?.code
}

/** What was said of a field, under it; `below` also what was said of its parts. */
export function Complaint({ path, below = false }: { path: string; below?: boolean }) {
  const problems = use(Context)
  return Object.entries(problems)
    .filter(([at]) => at === path || (below && at.startsWith(`${path}.`)))
    .map(([at, { message }]) => (
      <span key={at} className={css.complaint} role="alert" data-problem={at}>
        {message}
      </span>
    ))
}
