import { createContext, type ReactNode, useContext } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { usePageTitle } from '../lib/page-title.ts'
import css from './ui.module.css'

export interface Crumb {
  title: ReactNode
  to?: string
}

const NO_CRUMBS: Crumb[] = []

/** Below the head of a page: lists and forms that are shown there have a heading of the second level. */
const Below = createContext(false)

/** What stands on a page that has its title already, such as the list in a tab of one customer. */
export function BelowHeader({ children }: { children: ReactNode }) {
  return <Below value>{children}</Below>
}

/** Head of a page: where one is, title, one line of explanation, actions at the right (one primary at most). */
export function PageHeader({
  title,
  crumbs = NO_CRUMBS,
  description,
  extra,
  actions,
}: {
  title: ReactNode
  crumbs?: Crumb[]
  /** One line of plain words where the page is not obvious. */
  description?: ReactNode
  /** Beside the title: a state, a mode. */
  extra?: ReactNode
  actions?: ReactNode
}) {
  const { t } = useTranslation('ui')
  const below = useContext(Below)
  usePageTitle(typeof title === 'string' && !below ? title : null)
  const Heading = below ? 'h2' : 'h1'
  return (
    <header className={css.header}>
      {crumbs.length > 0 && (
        <nav aria-label={t('breadcrumb')}>
          <ol className={css.crumbs}>
            {crumbs.map((crumb, index) => (
              <li key={index}>{crumb.to ? <Link to={crumb.to}>{crumb.title}</Link> : crumb.title}</li>
            ))}
          </ol>
        </nav>
      )}
      <div className={css.headRow}>
        <div className={css.headText}>
          <div className={css.titleRow}>
            <Heading className={css.title} title={typeof title === 'string' ? title : undefined}>
              {title}
            </Heading>
            {extra}
          </div>
          {description && <p className={css.description}>{description}</p>}
        </div>
        {actions && <div className={css.actions}>{actions}</div>}
      </div>
    </header>
  )
}
