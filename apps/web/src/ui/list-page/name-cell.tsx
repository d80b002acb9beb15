import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { CopyId } from '../copy-id.tsx'
import css from './data-table.module.css'

/** First cell of a row: the name as a link, the mono id under it with a copy button on hover, an icon before both. */
export function NameCell({ name, id, to, icon }: { name: string; id?: string; to?: string; icon?: ReactNode }) {
  const cell = (
    <span className={css.name}>
      {to === undefined ? (
        <span className={css.nameText} title={name} dir="auto">
          {name}
        </span>
      ) : (
        <Link className={css.nameText} to={to} title={name} dir="auto">
          {name}
        </Link>
      )}
      {id !== undefined && (
        <span className={css.nameId}>
          <CopyId value={id} quiet />
        </span>
      )}
    </span>
  )
  return icon === undefined ? (
    cell
  ) : (
    <span className={css.withIcon}>
      {icon}
      {cell}
    </span>
  )
}
