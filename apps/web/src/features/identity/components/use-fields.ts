import { type RefObject, useState } from 'react'
import { ApiError } from '../../../lib/api-client.ts'

/** Field of the form a refusal belongs to, for codes that name none themselves. */
const FIELD_OF: Record<string, string> = {
  'auth.code_wrong': 'code',
  'auth.username_taken': 'username',
  'auth.phone_taken': 'phone',
  'auth.captcha_required': 'captcha',
  'auth.captcha_wrong': 'captcha',
}

/**
 * What is wrong with the fields of a form, by their names: our own checks on leaving a field and on sending, the
 * server's after it. The first of them is focused.
 */
export function useFields(form: RefObject<HTMLFormElement | null>, check: () => Record<string, string | null>) {
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set())
  const [refused, setRefused] = useState<Record<string, string>>({})
  const problems = check()
  const focus = (name: string | undefined) =>
    name && form.current?.querySelector<HTMLInputElement>(`[name="${name}"]`)?.focus()
  return {
    error: (name: string): string | null => refused[name] ?? (touched.has(name) ? (problems[name] ?? null) : null),
    leave: (name: string) => setTouched(before => new Set(before).add(name)),
    /** A field that is being changed is no longer what the server refused. */
    change: (name: string) =>
      setRefused(before => Object.fromEntries(Object.entries(before).filter(([key]) => key !== name))),
    /** Whether the form may be sent. */
    ready(): boolean {
      setTouched(new Set(Object.keys(problems)))
      setRefused({})
      const first = Object.keys(problems).find(name => problems[name])
      focus(first)
      return first === undefined
    },
    /** Puts a refusal at its fields. @returns whether it belongs to one */
    refuse(error: unknown): boolean {
      if (!(error instanceof ApiError)) return false
      const fields: Record<string, string> = {}
      for (const [name, { message }] of Object.entries(error.fields)) fields[name] = message
      const known = FIELD_OF[error.code]
      if (known) fields[known] ??= error.message
      setRefused(fields)
      const first = Object.keys(fields)[0]
      focus(first)
      return first !== undefined
    },
  }
}

export type Fields = ReturnType<typeof useFields>
