import { Checkbox } from 'antd'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { holds, type Permission } from '../../lib/permissions.ts'
import { useSession } from '../../lib/session.ts'
import { actionName, resourceName } from './right-words.ts'
import css from './rights.module.css'
import { rightsTable, switched } from './rights-table.ts'

/** Rights by resource and action. What the person does not hold himself he can neither give nor take. */
export function RightsMatrix({
  all,
  value,
  onChange,
  disabled = false,
}: {
  all: readonly string[]
  value: readonly string[]
  onChange?: (value: string[]) => void
  disabled?: boolean
}) {
  const { t } = useTranslation('rights')
  const own = useSession(s => s.me?.permissions)
  const table = useMemo(() => rightsTable(all), [all])
  const chosen = useMemo(() => new Set(value.includes('*') ? all : value), [value, all])
  const mine = (word: string) => holds(own, word as Permission)
  const set = (words: string[], on: boolean) => onChange?.(switched(all, [...chosen], words.filter(mine), on))
  const box = (words: string[], label: string) => {
    const on = words.filter(word => chosen.has(word)).length
    return (
      <Checkbox
        aria-label={label}
        checked={on === words.length}
        indeterminate={on > 0 && on < words.length}
        disabled={disabled || !words.some(mine)}
        onChange={event => set(words, event.target.checked)}
      />
    )
  }
  return (
    <div className={css.matrixFrame}>
      <table className={css.matrix}>
        <thead>
          <tr>
            <th scope="col">
              {box([...all], t('allRights'))} <span>{t('resourceHead')}</span>
            </th>
            {table.actions.map(action => (
              <th key={action} scope="col">
                {actionName(t, action)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.resources.map(resource => {
            const words = table.actions.filter(a => table.has(resource, a)).map(a => `${resource}:${a}`)
            const name = resourceName(t, resource)
            return (
              <tr key={resource}>
                <th scope="row">
                  {box(words, name)} <span>{name}</span>
                </th>
                {table.actions.map(action => {
                  const word = `${resource}:${action}`
                  return (
                    <td key={action} title={table.has(resource, action) && !mine(word) ? t('notYours') : undefined}>
                      {table.has(resource, action) && (
                        <Checkbox
                          aria-label={`${name} ${actionName(t, action)}`}
                          checked={chosen.has(word)}
                          disabled={disabled || !mine(word)}
                          onChange={event => set([word], event.target.checked)}
                        />
                      )}
                    </td>
                  )
                })}
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}
