import { Alert, Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { differences, type Stored } from './conflict.ts'
import type { Field, Values } from './field.ts'
import css from './schema-form.module.css'

/** What somebody else changed meanwhile, beside what is typed here, and the two ways on. Nothing typed is lost. */
export function ConflictPanel({
  fields,
  start,
  mine,
  stored,
  busy,
  onTheirs,
  onMine,
}: {
  fields: readonly Field[]
  start: Values
  mine: Values
  stored: Stored
  busy: boolean
  onTheirs: () => void
  onMine: () => void
}) {
  const { t } = useTranslation('schema-form')
  const words = { yes: t('yes'), no: t('no'), none: t('conflict.none') }
  const changed = differences(fields, start, mine, stored.values)
  return (
    <Alert
      className={css.alert ?? ''}
      type="warning"
      showIcon
      role="alert"
      title={t('conflict.title')}
      data-testid="conflict"
      description={
        <>
          {changed.length === 0 && <p>{t('conflict.elsewhere')}</p>}
          {changed.length > 0 && (
            <table className={css.conflict}>
              <thead>
                <tr>
                  <th scope="col">{t('conflict.field')}</th>
                  <th scope="col">{t('conflict.theirs')}</th>
                  <th scope="col">{t('conflict.mine')}</th>
                </tr>
              </thead>
              <tbody>
                {changed.map(({ field, both }) => (
                  <tr key={field.key}>
                    <th scope="row">{field.label}</th>
                    <td>{shown(field, stored.values[field.key], words)}</td>
                    <td>{both ? shown(field, mine[field.key], words) : t('conflict.untouched')}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
          <div className={css.conflictActs}>
            <Button size="small" disabled={busy} onClick={onTheirs}>
              {t('conflict.takeTheirs')}
            </Button>
            <Button size="small" type="primary" loading={busy} onClick={onMine}>
              {t('conflict.saveMine')}
            </Button>
          </div>
        </>
      }
    />
  )
}

function shown(field: Field, value: unknown, words: { yes: string; no: string; none: string }): string {
  if (field.kind === 'bool') return value === true ? words.yes : words.no
  if (value === undefined || value === null || value === '') return words.none
  if (field.kind === 'enum') return field.options.find(option => option.value === value)?.label ?? String(value)
  if (Array.isArray(value) && value.every(item => typeof item !== 'object')) return value.join(', ') || words.none
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
