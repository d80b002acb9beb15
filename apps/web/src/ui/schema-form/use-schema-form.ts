import { useCallback, useId, useMemo, useRef, useState } from 'react'
import { ApiError } from '../../lib/api/api-error.ts'
import type { Field, Values } from './field.ts'
import { type Complaints, outgoing, serverComplaints, validateField, validateFields } from './validate.ts'

export interface SchemaFormState {
  /** Prefix of the inputs' ids. */
  id: string
  fields: readonly Field[]
  values: Values
  /** What the form began with. */
  start: Values
  complaints: Complaints
  /** Something differs from what the form began with. */
  dirty: boolean
  set(key: string, value: unknown): void
  setAll(values: Values): void
  /** The person left a field: it is checked now. */
  blur(key: string): void
  /** Checks everything; on a complaint focuses the first field in question and returns null, else what is to be sent. */
  submit(): Values | null
  /**
   * Takes the server's complaints (422 with `fields`) to the fields and focuses the first. Returns what belongs to no
   * field, and `null` when every complaint found its place.
   */
  refuse(error: unknown): string[] | null
  /** Begins anew from these values; with `values`, they are typed already. */
  reset(start: Values, values?: Values): void
}

/** State of one form: values, complaints, and what was there at the beginning. */
export function useSchemaForm(
  fields: readonly Field[],
  initial: Values,
  options: { serverPrefix?: string } = {},
): SchemaFormState {
  const id = useId()
  const [start, setStart] = useState(initial)
  const [values, setValues] = useState(initial)
  const [complaints, setComplaints] = useState<Complaints>(new Map())
  const now = useRef({ fields, values, start })
  now.current = { fields, values, start }
  const { serverPrefix = '' } = options

  const set = useCallback((key: string, value: unknown) => {
    setValues(before => ({ ...before, [key]: value }))
    setComplaints(before => withoutField(before, key))
  }, [])
  const blur = useCallback((key: string) => {
    // The value of this very event is in the state only after it.
    setTimeout(() => {
      const { fields, values, start } = now.current
      const field = fields.find(each => each.key === key)
      if (!field || (values[key] === start[key] && !field.required)) return
      const found = validateField(field, values[key], key, values)
      setComplaints(before => new Map([...withoutField(before, key), ...found]))
    }, 0)
  }, [])
  const submit = useCallback(() => {
    const { fields, values, start } = now.current
    const found = validateFields(fields, values)
    setComplaints(found)
    const [first] = found.keys()
    if (first === undefined) return outgoing(fields, values, start)
    focusPath(id, first)
    return null
  }, [id])
  const refuse = useCallback(
    (error: unknown) => {
      if (!(error instanceof ApiError) || Object.keys(error.fields).length === 0) return []
      const { complaints: found, rest } = serverComplaints(error.fields, now.current.fields, serverPrefix)
      setComplaints(found)
      const [first] = found.keys()
      if (first !== undefined) focusPath(id, first)
      return found.size > 0 && rest.length === 0 ? null : rest
    },
    [id, serverPrefix],
  )
  const reset = useCallback((next: Values, typed: Values = next) => {
    setStart(next)
    setValues(typed)
    // What is sent before it is drawn is sent from these.
    now.current = { ...now.current, start: next, values: typed }
    setComplaints(new Map())
  }, [])
  const setAll = useCallback((next: Values) => setValues(next), [])
  const dirty = useMemo(() => !same(values, start), [values, start])
  return { id, fields, values, start, complaints, dirty, set, setAll, blur, submit, refuse, reset }
}

function withoutField(complaints: Complaints, key: string): Complaints {
  return new Map(
    [...complaints].filter(([path]) => path !== key && !path.startsWith(`${key}.`) && !path.startsWith(`${key}[`)),
  )
}

/** Equal for a form: absent, null and empty text are the same. */
export function same(a: unknown, b: unknown): boolean {
  return canonical(a) === canonical(b)
}

function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_key, inner: unknown) => {
      if (inner === null || inner === '') return undefined
      if (typeof inner !== 'object' || Array.isArray(inner)) return inner
      return Object.fromEntries(Object.entries(inner as object).sort(([x], [y]) => (x < y ? -1 : 1)))
    }) ?? ''
  )
}

/** Id of the input at a path. */
export function inputId(form: string, path: string): string {
  return `${form}${path}`
}

/** Brings a field into sight and puts the cursor there, once it is drawn. */
export function focusPath(form: string, path: string): void {
  setTimeout(() => {
    const field =
      document.getElementById(inputId(form, path)) ??
      document.querySelector<HTMLElement>(`[data-field="${CSS.escape(inputId(form, path))}"]`)
    if (!field) return
    field.scrollIntoView({ block: 'center' })
    const focusable = field.matches(FOCUSABLE) ? field : field.querySelector<HTMLElement>(FOCUSABLE)
    focusable?.focus({ preventScroll: true })
  }, 0)
}

const FOCUSABLE = 'input, textarea, select, button, [tabindex="0"]'
