import { createContext, use } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '../../../lib/api/api-error.ts'
import css from '../triggers.module.css'

export interface Problems {
  /** Complaints by path of the field; null: something is missing there. */
  fields: ReadonlyMap<string, string | null>
  /** What the server complained about where the editor has no field of that path. */
  rest: string[]
}

const NONE: Problems = { fields: new Map(), rest: [] }
const Context = createContext<Problems>(NONE)
export const ProblemsProvider = Context.Provider

/** Fields that show their complaint themselves; everything below `condition`, `clear` and `actions` does too. */
const SHOWN = ['name', 'scope', 'kind', 'property', 'high', 'low', 'value', 'minutes', 'deadBand', 'decimals'].concat([
  'condition',
  'clear',
  'actions',
  'active',
  'antiShake',
  'quietSeconds',
  'repeatSeconds',
  'expiresAt',
])

/** What is missing, and what the server said of single fields. */
export function problemsOf(missing: readonly string[], failure: unknown): Problems {
  if (missing.length === 0 && !(failure instanceof ApiError)) return NONE
  const fields = new Map<string, string | null>(missing.map(path => [path, null]))
  const rest: string[] = []
  if (failure instanceof ApiError)
    for (const [path, { message }] of Object.entries(failure.fields)) {
      fields.set(path, message)
      if (!SHOWN.includes(path.split('.')[0]!)) rest.push(`${path}: ${message}`)
    }
  return { fields, rest }
}

/** Whether something is complained about at a path. */
export function useProblem(path: string): boolean {
  return use(Context).fields.has(path)
}

/** The complaint about a field, under it; `below` also takes those of paths beneath it. */
export function Complaint({ path, below = false }: { path: string; below?: boolean }) {
  const { t } = useTranslation('triggers')
  const { fields } = use(Context)
  const found = [...fields].filter(([at]) => at === path || (below && at.startsWith(`${path}.`)))
  return found.map(([at, message]) => (
    <span key={at} className={css.complaint} role="alert" data-problem={at}>
      {message ?? t('missing')}
    </span>
  ))
}
