import { createContext, use } from 'react'
import { ApiError } from '../../lib/api/api-error.ts'
import css from './reports.module.css'

/** What the server said of single fields, by their paths. */
type Problems = Readonly<Record<string, { code: string; message: string }>>

const Context = createContext<Problems>({})
export const ProblemsProvider = Context.Provider

export const problemsOf = (failure: unknown): Problems => (failure instanceof ApiError ? failure.fields : {})

/** What was said of a field and of its parts, under it. */
export function Complaint({ path }: { path: string }) {
  return Object.entries(use(Context))
    .filter(([at]) => at === path || at.startsWith(`${path}.`))
    .map(([at, { message }]) => (
      <span key={at} className={css.complaint} role="alert" data-problem={at}>
        {message}
      </span>
    ))
}
