import { Button } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { Operation } from '../../lib/api-client.ts'
import { errorFacts } from '../../lib/errors.ts'
import { useGrantors } from '../../lib/grantors.ts'
import { rightOf, useMay } from '../../lib/permissions.ts'
import type { Read } from '../../lib/server-state/use-read.ts'
import { CopyId } from '../copy-id.tsx'
import css from './home-card.module.css'

/** A card of the overview: head, and a body that has its height before there is anything to show. */
export function HomeCardFrame<T>({
  title,
  mark,
  note,
  link,
  tools,
  bare = false,
  of,
  read,
  height,
  isEmpty,
  empty,
  children,
}: {
  title: ReactNode
  /** Beside the title: a count, a version. */
  mark?: ReactNode
  /** At the right, small: what a point stands for. */
  note?: ReactNode
  link?: { to: string; label: string }
  tools?: ReactNode
  /** What it shows brings its own cards; head and border are there only while there is nothing to show. */
  bare?: boolean
  of: Operation
  read: Pick<Read<T>, 'data' | 'isError' | 'error' | 'refetch'>
  /** Of the body, in px. */
  height: number
  isEmpty?: (data: T) => boolean
  empty?: ReactNode
  children: (data: T) => ReactNode
}) {
  const allowed = useMay(of)
  const { data } = read
  if (bare && allowed && data !== undefined && !isEmpty?.(data))
    return (
      <section aria-label={typeof title === 'string' ? title : undefined} className={css.bare}>
        {children(data)}
      </section>
    )
  return (
    <section className={css.card}>
      <header className={css.head}>
        <div className={css.lead}>
          <h2 className={css.title}>{title}</h2>
          {mark}
          {note && <span className={css.note}>{note}</span>}
        </div>
        {tools}
        {link && allowed && (
          <Link className={css.link} to={link.to}>
            {link.label}
          </Link>
        )}
      </header>
      <div className={css.body} style={allowed && data === undefined ? { minHeight: height } : undefined}>
        {!allowed ? (
          <Missing of={of} />
        ) : data === undefined ? (
          read.isError ? (
            <Failed error={read.error} onRetry={() => void read.refetch()} />
          ) : (
            <Waiting height={height} />
          )
        ) : isEmpty?.(data) ? (
          <div className={css.state} data-testid="home-empty">
            {empty}
          </div>
        ) : (
          children(data)
        )}
      </div>
    </section>
  )
}

function Waiting({ height }: { height: number }) {
  return (
    <div className={css.waiting} aria-busy="true">
      {Array.from({ length: Math.max(1, Math.floor(height / 36)) }, (_, at) => (
        <span key={at} style={{ width: `${90 - ((at * 17) % 40)}%` }} />
      ))}
    </div>
  )
}

function Failed({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const { t } = useTranslation('ui')
  const { message, code, requestId } = errorFacts(error)
  return (
    <div className={css.state} data-testid="home-error">
      <p role="alert">{message}</p>
      <p>
        <CopyId value={requestId ?? code} />
      </p>
      <Button size="small" onClick={onRetry}>
        {t('retry')}
      </Button>
    </div>
  )
}

function Missing({ of }: { of: Operation }) {
  const { t } = useTranslation('ui')
  const permission = rightOf(of) ?? undefined
  const names = useGrantors(permission).join(t('noPermission.join'))
  return (
    <div className={css.state} data-testid="home-no-permission">
      <p dir="auto">
        {names === '' ? t('noPermission.text', { permission }) : t('noPermission.why', { permission, names })}
      </p>
    </div>
  )
}
