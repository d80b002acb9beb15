import { type ComponentProps, type ReactNode, useId } from 'react'
import css from './sign-in.module.css'

/** A labelled input with its error under it, read out to those who cannot see it. */
export function TextField({
  label,
  error,
  suffix,
  ...input
}: { label: string; error?: string | null | undefined; suffix?: ReactNode } & ComponentProps<'input'>) {
  const id = useId()
  return (
    <div className={css.field}>
      <label htmlFor={id}>{label}</label>
      <div className={css.inputRow}>
        <div className={css.inputBox} data-invalid={Boolean(error)}>
          <input
            id={id}
            {...input}
            aria-invalid={Boolean(error)}
            aria-describedby={error ? `${id}-error` : undefined}
          />
        </div>
        {suffix}
      </div>
      <p className={css.fieldError} id={`${id}-error`} role={error ? 'alert' : undefined}>
        {error}
      </p>
    </div>
  )
}
