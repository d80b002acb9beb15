import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useLocation } from 'react-router'
import { usePageTitle } from '../../lib/page-title.ts'
import css from './public-pages.module.css'

export interface Anchor {
  id: string
  label: string
  /** 2 stands below the one before. */
  level?: 1 | 2
}

const PAGES = ['ApiInterfaceOpen', 'FunctionsAndCharges', 'AppDown', 'TermsService'] as const

/** Frame of the public pages: their names at the top, the page's parts at the left, the text in the middle. */
export function PageFrame({
  title,
  lead,
  anchors,
  aside,
  children,
}: {
  title: string
  lead: ReactNode
  anchors: readonly Anchor[]
  /** Above the parts: a search. */
  aside?: ReactNode
  children: ReactNode
}) {
  const { t } = useTranslation('public-pages')
  const { pathname } = useLocation()
  usePageTitle(title)
  return (
    <div className={css.page}>
      <nav className={css.pages} aria-label={t('pages')}>
        {PAGES.map(page => {
          const path = `/alonePage/${page}`
          return (
            <Link key={page} to={path} {...(pathname === path ? { 'aria-current': 'page' as const } : {})}>
              {t(`page.${page}`)}
            </Link>
          )
        })}
      </nav>
      <div className={css.columns}>
        <aside className={css.side}>
          {aside}
          <nav aria-label={t('parts')}>
            <ul className={css.anchors}>
              {anchors.map(anchor => (
                <li key={anchor.id} className={anchor.level === 2 ? css.below : undefined}>
                  <a href={`#${anchor.id}`} title={anchor.label}>
                    {anchor.label}
                  </a>
                </li>
              ))}
            </ul>
          </nav>
        </aside>
        <article className={css.article}>
          <header className={css.head}>
            <h1>{title}</h1>
            <p>{lead}</p>
          </header>
          {children}
        </article>
      </div>
    </div>
  )
}
