import { DeleteOutlined, PlusOutlined } from '@ant-design/icons'
import { SENSOR_KINDS } from '@thingwright/thing-model'
import { Button, Input, Select } from 'antd'
import { useTranslation } from 'react-i18next'
import type { QuickRow } from '../model/quick-rows.ts'
import css from '../products.module.css'

let counter = 0

export const quickRow = (kind: QuickRow['kind'] = 'number'): QuickRow => ({
  key: ++counter,
  kind,
  name: '',
  identifier: '',
  unit: '',
  words: '',
})

/** Data points one line each: what it measures or switches, what it is called, and nothing else to know. */
export function QuickModel({
  rows,
  onChange,
  problems,
}: {
  rows: readonly QuickRow[]
  onChange: (rows: QuickRow[]) => void
  problems: ReadonlyMap<number, string>
}) {
  const { t } = useTranslation('products')
  const put = (key: number, part: Partial<QuickRow>) =>
    onChange(rows.map(row => (row.key === key ? { ...row, ...part } : row)))
  return (
    <div className={css.quick}>
      {rows.length > 0 && (
        <div className={css.quickHead} aria-hidden="true">
          <span>{t('quick.kind')}</span>
          <span>{t('quick.name')}</span>
          <span>{t('quick.extra')}</span>
          <span>{t('identifier')}</span>
          <span />
        </div>
      )}
      {rows.map((row, at) => {
        const problem = problems.get(row.key)
        return (
          <div key={row.key}>
            <div className={css.quickRow}>
              <Select
                aria-label={t('quick.kind')}
                value={row.kind}
                popupMatchSelectWidth={false}
                options={SENSOR_KINDS.map(kind => ({ value: kind, label: t(`sensor.${kind}`) }))}
                onChange={(kind: QuickRow['kind']) => put(row.key, { kind, words: '', unit: '' })}
              />
              <Input
                aria-label={t('quick.name')}
                value={row.name}
                maxLength={64}
                placeholder={t(`sensorExample.${row.kind}`)}
                {...(problem === undefined ? {} : { status: 'error' as const })}
                onChange={event => put(row.key, { name: event.target.value })}
                autoFocus={at === rows.length - 1 && rows.length > 1}
              />
              {row.kind === 'number' ? (
                <Input
                  aria-label={t('unit')}
                  value={row.unit}
                  maxLength={32}
                  placeholder={t('unit')}
                  onChange={event => put(row.key, { unit: event.target.value })}
                />
              ) : row.kind === 'levels' || row.kind === 'switch' || row.kind === 'indicator' ? (
                <Input
                  aria-label={t('quick.words')}
                  value={row.words}
                  placeholder={t(row.kind === 'levels' ? 'quick.levels' : 'quick.offOn')}
                  onChange={event => put(row.key, { words: event.target.value })}
                />
              ) : (
                <span />
              )}
              <Input
                className={css.mono ?? ''}
                aria-label={t('identifier')}
                value={row.identifier}
                maxLength={64}
                placeholder={t('quick.auto')}
                onChange={event => put(row.key, { identifier: event.target.value })}
              />
              <Button
                type="text"
                icon={<DeleteOutlined aria-hidden />}
                aria-label={t('quick.remove', { name: row.name })}
                onClick={() => onChange(rows.filter(other => other.key !== row.key))}
              />
            </div>
            {problem !== undefined && (
              <p className={css.problem} role="alert">
                {t(`problem.${problem}`)}
              </p>
            )}
          </div>
        )
      })}
      <Button type="dashed" block icon={<PlusOutlined aria-hidden />} onClick={() => onChange([...rows, quickRow()])}>
        {t('quick.add')}
      </Button>
    </div>
  )
}
