import type { ReactNode } from 'react'
import css from './panel.module.css'

/** A card of a page: head with title and actions, body. `flush` leaves the body without padding (tables). */
export function Panel({
  title,
  hint,
  actions,
  flush = false,
  children,
}: {
  title?: ReactNode
  /** One line of plain words under the title. */
  hint?: ReactNode
  actions?: ReactNode
  flush?: boolean
  children: ReactNode
}) {
  return (
    <section className={css.panel}>
      {(title !== undefined || actions !== undefined) && (
        <header className={css.head}>
          <div className={css.headText}>
            <h2 className={css.title}>{title}</h2>
            {hint && <p className={css.hint}>{hint}</p>}
          </div>
          {actions && <div className={css.actions}>{actions}</div>}
        </header>
      )}
      <div className={flush ? css.flush : css.body}>{children}</div>
    </section>
  )
}

/** Facts in columns: name above, value below. */
export function Facts({ items }: { items: { label: ReactNode; value: ReactNode; wide?: boolean }[] }) {
  return (
    <dl className={css.facts}>
      {items.map((item, at) => (
        <div key={at} className={item.wide ? css.wide : undefined}>
          <dt>{item.label}</dt>
          <dd>{item.value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Cards one under the other. */
export function Stack({ children }: { children: ReactNode }) {
  return <div className={css.stack}>{children}</div>
}
