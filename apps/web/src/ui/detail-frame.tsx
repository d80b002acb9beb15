import type { ReactNode } from 'react'
import { NavLink, useLocation } from 'react-router'
import css from './detail-frame.module.css'
import { type Crumb, PageHeader } from './page-header.tsx'

export interface DetailTab {
  to: string
  label: ReactNode
}

/** Head of one object's pages: icon, name, state, key facts, actions; below it the pages as tabs (same `?id=`). */
export function DetailFrame({
  crumbs,
  icon,
  name,
  state,
  actions,
  facts,
  tabs,
  children,
}: {
  crumbs: Crumb[]
  icon: ReactNode
  name: string
  state?: ReactNode
  actions?: ReactNode
  facts: { label: ReactNode; value: ReactNode }[]
  tabs: DetailTab[]
  children: ReactNode
}) {
  const { pathname, search } = useLocation()
  const id = new URLSearchParams(search).get('id') ?? ''
  return (
    <>
      <div className={css.head}>
        <div className={css.top}>
          {icon}
          <div className={css.titles}>
            <PageHeader title={name} crumbs={crumbs} extra={state} actions={actions} />
          </div>
        </div>
        <dl className={css.facts}>
          {facts.map((fact, at) => (
            <div key={at}>
              <dt>{fact.label}</dt>
              <dd>{fact.value}</dd>
            </div>
          ))}
        </dl>
        <nav className={css.tabs}>
          {tabs.map(tab => (
            <NavLink
              key={tab.to}
              to={`${tab.to}?id=${encodeURIComponent(id)}`}
              className={`${css.tab} ${pathname === tab.to ? css.on : ''}`}
            >
              {tab.label}
            </NavLink>
          ))}
        </nav>
      </div>
      {children}
    </>
  )
}
