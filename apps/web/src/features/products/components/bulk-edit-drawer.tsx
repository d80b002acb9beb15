import { parseModel, STORE_MODES, type StoreMode, type ThingModel } from '@thingwright/thing-model'
import { Button, Checkbox, Drawer, Input, Segmented, Select } from 'antd'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { InputNumber } from '../../../ui/input-number.tsx'
import { type BulkChange, bulkEdit } from '../model/bulk-edit.ts'
import css from '../products.module.css'

/** The same change to many properties: only what is ticked is changed, and where a property cannot take it, it stays. */
export function BulkEditDrawer({
  model,
  identifiers,
  onDone,
  onClose,
}: {
  model: ThingModel
  identifiers: readonly string[]
  onDone: (model: ThingModel, skipped: number) => void
  onClose: () => void
}) {
  const { t } = useTranslation('products')
  const [change, setChange] = useState<BulkChange>({})
  const put = (part: Partial<BulkChange>) => setChange(now => ({ ...now, ...part }))
  const row = (key: keyof BulkChange, label: string, fresh: BulkChange[typeof key], control: ReactNode) => (
    <div className={css.bulkRow}>
      <Checkbox
        checked={key in change}
        onChange={event => (event.target.checked ? put({ [key]: fresh }) : setChange(({ [key]: _, ...rest }) => rest))}
      >
        {label}
      </Checkbox>
      {key in change && control}
    </div>
  )
  const store = change.store ?? { mode: 'every' as StoreMode }
  const result = bulkEdit(model, identifiers, change)
  return (
    <Drawer
      open
      size={560}
      title={t('bulk.title', { count: identifiers.length })}
      onClose={onClose}
      footer={
        <div className={css.drawerFoot}>
          <span className={css.footLeft}>
            {result.skipped > 0 ? t('bulk.skipped', { count: result.skipped }) : t('draftHint')}
          </span>
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button
            type="primary"
            disabled={Object.keys(change).length === 0 || !parseModel(result.model).ok}
            onClick={() => onDone(result.model, result.skipped)}
          >
            {t('bulk.apply')}
          </Button>
        </div>
      }
    >
      <p className={css.lead}>{t('bulk.lead')}</p>
      {row(
        'group',
        t('featureGroup'),
        '',
        <Input
          aria-label={t('featureGroup')}
          value={change.group}
          maxLength={64}
          onChange={event => put({ group: event.target.value })}
        />,
      )}
      {row(
        'unit',
        t('unit'),
        '',
        <Input
          aria-label={t('unit')}
          value={change.unit}
          maxLength={32}
          onChange={event => put({ unit: event.target.value })}
        />,
      )}
      {row(
        'access',
        t('access'),
        'r',
        <Segmented
          value={change.access ?? 'r'}
          options={(['r', 'rw', 'w'] as const).map(value => ({ value, label: t(`accessWords.${value}`) }))}
          onChange={access => put({ access: access as 'r' | 'rw' | 'w' })}
        />,
      )}
      {row(
        'history',
        t('history'),
        true,
        <Segmented
          value={change.history === false ? 'off' : 'on'}
          options={[
            { value: 'on', label: t('historyOn') },
            { value: 'off', label: t('historyOff') },
          ]}
          onChange={value => put({ history: value === 'on' })}
        />,
      )}
      {row(
        'store',
        t('storeTitle'),
        { mode: 'change' },
        <span className={css.bulkStore}>
          <Select
            aria-label={t('storeMode')}
            value={store.mode}
            options={STORE_MODES.map(value => ({ value, label: t(`store.${value}`) }))}
            onChange={(mode: StoreMode) =>
              put({
                store: {
                  mode,
                  ...(mode === 'interval' ? { seconds: 60 } : mode === 'deadband' ? { band: 1, percent: true } : {}),
                },
              })
            }
          />
          {store.mode === 'interval' && (
            <InputNumber
              aria-label={t('storeSeconds')}
              min={1}
              max={86_400}
              value={store.seconds ?? 60}
              suffix="s"
              onChange={seconds => put({ store: { ...store, seconds: Number(seconds ?? 60) } })}
            />
          )}
          {store.mode === 'deadband' && (
            <>
              <InputNumber
                aria-label={t('storeBand')}
                min={0}
                value={store.band ?? 1}
                onChange={band => put({ store: { ...store, band: Number(band ?? 0) } })}
              />
              <Checkbox
                checked={store.percent === true}
                onChange={event => put({ store: { ...store, percent: event.target.checked } })}
              >
                %
              </Checkbox>
            </>
          )}
        </span>,
      )}
      {row(
        'retentionDays',
        t('retentionDays'),
        90,
        <InputNumber
          aria-label={t('retentionDays')}
          min={1}
          max={3_650}
          value={change.retentionDays ?? 90}
          onChange={days => put({ retentionDays: Number(days ?? 90) })}
        />,
      )}
    </Drawer>
  )
}
