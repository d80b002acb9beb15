import type { ReactNode } from 'react'
import css from '../triggers.module.css'
import { Complaint, useProblem } from './problems.tsx'

/** A field with its label and complaint. */
export function Row({
  label,
  htmlFor,
  path,
  help,
  required = false,
  children,
}: {
  label: ReactNode
  htmlFor?: string
  path: string
  help?: ReactNode
  required?: boolean
  children: ReactNode
}) {
  return (
    <div className={css.field} data-bad={useProblem(path)}>
      <label htmlFor={htmlFor} className={required ? css.needed : undefined}>
        {label}
      </label>
      {children}
      {help && <small>{help}</small>}
      <Complaint path={path} />
    </div>
  )
}
