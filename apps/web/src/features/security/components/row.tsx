import type { ReactNode } from 'react'
import css from '../security.module.css'

/** One thing of a list of settings: what it is, how it stands, what can be done. */
export function Row({
  title,
  text,
  state,
  actions,
}: {
  title: ReactNode
  text: ReactNode
  state?: ReactNode
  actions?: ReactNode
}) {
  return (
    <li className={css.row}>
      <div className={css.rowText}>
        <b title={typeof title === 'string' ? title : undefined}>{title}</b>
        <span>{text}</span>
      </div>
      {state && <div className={css.rowState}>{state}</div>}
      {actions && <div className={css.rowActions}>{actions}</div>}
    </li>
  )
}
