import type { RoleView } from '@thingwright/contracts/roles.contract'
import { Drawer, Select, Skeleton } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { rightName, scopeName } from '../../../ui/rights/right-words.ts'
import { ErrorState } from '../../../ui/states.tsx'
import { useAllRoles } from '../hooks.ts'
import { roleName } from '../role-words.ts'
import css from '../roles.module.css'

/** Two roles beside each other: what only one of them has. */
export function CompareDrawer({ role, onClose }: { role: RoleView; onClose: () => void }) {
  const { t } = useTranslation('roles')
  const { t: words } = useTranslation('rights')
  const roles = useAllRoles()
  const others = (roles.data?.items ?? []).filter(other => other.id !== role.id)
  const [chosen, setChosen] = useState<string | null>(null)
  const right = chosen ?? others[0]?.id
  const diff = useRead('roles.diff', { query: { left: role.id, right: right! } }, { enabled: right !== undefined })
  const error = roles.error ?? diff.error
  return (
    <Drawer open size={720} title={t('compareTitle', { name: roleName(role) })} onClose={onClose}>
      <div className={css.compareWith}>
        {t('compareWith')}
        <Select
          aria-label={t('compareWith')}
          style={{ width: 280 }}
          value={right ?? null}
          loading={roles.isPending}
          options={others.map(other => ({ value: other.id, label: roleName(other) }))}
          showSearch={{ optionFilterProp: 'label' }}
          onChange={setChosen}
        />
      </div>
      {error ? (
        <ErrorState error={error} onRetry={() => void (roles.error ? roles.refetch() : diff.refetch())} />
      ) : !diff.data ? (
        <Skeleton active />
      ) : (
        <>
          <section className={css.side}>
            <h3>
              {t('dataScope')} {diff.data.sameDataScope && <span>{t('same')}</span>}
            </h3>
            <div className={css.sides}>
              {[diff.data.left, diff.data.right].map(each => (
                <div key={each.id}>
                  <h4 title={roleName(each)}>{roleName(each)}</h4>
                  {scopeName(words, each.dataScope)}
                </div>
              ))}
            </div>
          </section>
          <Side
            title={t('rights')}
            names={[roleName(diff.data.left), roleName(diff.data.right)]}
            left={diff.data.permissions.onlyLeft.map(word => rightName(words, word))}
            right={diff.data.permissions.onlyRight.map(word => rightName(words, word))}
            same={t('inBoth', { count: diff.data.permissions.both.length })}
          />
          <Side
            title={t('menus')}
            names={[roleName(diff.data.left), roleName(diff.data.right)]}
            left={diff.data.menuKeys.onlyLeft}
            right={diff.data.menuKeys.onlyRight}
            mono
            same={t('inBoth', { count: diff.data.menuKeys.both.length })}
          />
        </>
      )}
    </Drawer>
  )
}

function Side({
  title,
  names,
  left,
  right,
  same,
  mono = false,
}: {
  title: string
  names: [string, string]
  left: string[]
  right: string[]
  same?: string | undefined
  mono?: boolean
}) {
  const { t } = useTranslation('roles')
  return (
    <section className={css.side}>
      <h3>
        {title} {same && <span>{same}</span>}
      </h3>
      <div className={css.sides}>
        {[left, right].map((words, at) => (
          <div key={names[at]}>
            <h4 title={names[at]}>{t('only', { name: names[at] })}</h4>
            {words.length === 0 ? (
              <p className={css.none}>{t('nothing')}</p>
            ) : (
              <ul className={mono ? css.mono : undefined}>
                {words.map(word => (
                  <li key={word}>{word}</li>
                ))}
              </ul>
            )}
          </div>
        ))}
      </div>
    </section>
  )
}
