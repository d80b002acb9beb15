import type { ReactNode } from 'react'
import { usePageTitle } from '../../lib/page-title.ts'
import css from './pages.module.css'

const drawing = (path: ReactNode) => (
  <svg
    width="48"
    height="48"
    viewBox="0 0 40 40"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.5"
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
  >
    {path}
  </svg>
)
export const LOCK = drawing(<path d="M9 18h22v15H9zM14 18v-5a6 6 0 0 1 12 0v5M20 24v4" />)
export const CLOCK = drawing(<path d="M20 5a15 15 0 1 1 0 30 15 15 0 0 1 0-30zM20 12v9l6 3.5" />)
export const BROKEN = drawing(<path d="M20 6 36 33H4zM20 16v8M20 28.5v.5" />)
export const DONE = drawing(<path d="M20 5a15 15 0 1 1 0 30 15 15 0 0 1 0-30zM13 20.5l5 5 9.5-10.5" />)

/** A page that only says something: a sign, a title, a sentence, what can be done. Needs no component library. */
export function MessagePage({
  sign,
  title,
  children,
  actions,
  testid,
}: {
  sign: ReactNode
  title: ReactNode
  children?: ReactNode
  actions?: ReactNode
  testid: string
}) {
  usePageTitle(typeof title === 'string' ? title : null)
  return (
    <div className={css.center} data-testid={testid}>
      <div className={css.box}>
        {sign}
        <h1 className={css.title}>{title}</h1>
        {children}
        {actions && <div className={css.actions}>{actions}</div>}
      </div>
    </div>
  )
}
