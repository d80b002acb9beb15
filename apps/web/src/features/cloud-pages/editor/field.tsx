import { cloneElement, type ReactElement } from 'react'
import css from './editor.module.css'

/** A control with its name above it. */
export function Field({
  label,
  wide = false,
  children,
}: {
  label: string
  wide?: boolean
  children: ReactElement<{ 'aria-label'?: string }>
}) {
  return (
    <div className={`${css.field} ${wide ? css.wide : ''}`}>
      <span aria-hidden>{label}</span>
      {cloneElement(children, { 'aria-label': label })}
    </div>
  )
}
