import type { TariffVersionView, TariffView } from '@thingwright/contracts/tariffs.contract'
import { Button, Drawer, Popconfirm, Skeleton, Space } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useMay } from '../../lib/permissions.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import { Facts, Panel } from '../../ui/panel.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { METERING } from './hooks.ts'
import { TariffForm } from './tariff-form.tsx'
import css from './tariffs.module.css'

/** One tariff with all its prices. */
export function TariffDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useTranslation('tariffs')
  const read = useRead('tariffs.get', { params: { id } })
  return (
    <Drawer open size={720} title={read.data?.name ?? t('title')} onClose={onClose}>
      {read.data ? (
        <Tariff tariff={read.data} onClose={onClose} />
      ) : read.isError ? (
        <ErrorState error={read.error} onRetry={() => void read.refetch()} />
      ) : (
        <Skeleton active paragraph={{ rows: 6 }} />
      )}
    </Drawer>
  )
}

function Tariff({ tariff, onClose }: { tariff: TariffView; onClose: () => void }) {
  const { t } = useTranslation('tariffs')
  const mayWrite = useMay('tariffs.update')
  const [form, setForm] = useState<'edit' | 'version' | null>(null)
  const remove = useAct('tariffs.remove', { touches: METERING, done: onClose })
  const drop = useAct('tariffs.removeVersion', { touches: METERING })
  return (
    <div className={css.stack}>
      {mayWrite && (
        <Space wrap>
          <Button type="primary" onClick={() => setForm('version')}>
            {t('addPrices')}
          </Button>
          <Button onClick={() => setForm('edit')}>{t('edit')}</Button>
          <Popconfirm
            title={t('removeTariff', { name: tariff.name })}
            okText={t('remove')}
            cancelText={t('cancel')}
            onConfirm={() => void remove.run({ params: { id: tariff.id } })}
          >
            <Button
              danger
              loading={remove.pending}
              disabled={tariff.meters > 0}
              title={tariff.meters > 0 ? t('inUse') : ''}
            >
              {t('remove')}
            </Button>
          </Popconfirm>
        </Space>
      )}
      <Facts
        items={[
          { label: t('unit'), value: tariff.unit },
          { label: t('metersCount'), value: tariff.meters },
          ...(tariff.remark ? [{ label: t('remark'), value: tariff.remark, wide: true }] : []),
        ]}
      />
      {[...tariff.versions].reverse().map(version => (
        <Panel
          key={version.id}
          title={t('validity', { from: version.validFrom, to: version.validTo ?? t('noEnd') })}
          hint={t(`kind.${version.rates.kind}`)}
          actions={
            mayWrite && tariff.versions.length > 1 ? (
              <Popconfirm
                title={t('removePrices')}
                okText={t('remove')}
                cancelText={t('cancel')}
                onConfirm={() => void drop.run({ params: { id: tariff.id, versionId: version.id } })}
              >
                <Button danger type="text">
                  {t('remove')}
                </Button>
              </Popconfirm>
            ) : undefined
          }
        >
          <Prices version={version} unit={tariff.unit} />
        </Panel>
      ))}
      {form && (
        <TariffForm
          tariff={tariff}
          version={form === 'version'}
          onClose={() => setForm(null)}
          onDone={() => setForm(null)}
        />
      )}
    </div>
  )
}

function Prices({ version: { rates }, unit }: { version: TariffVersionView; unit: string }) {
  const { t } = useTranslation('tariffs')
  const price = (value: string) => t('pricePerUnit', { price: value, unit })
  if (rates.kind === 'fixed') return <p className={css.plain}>{price(rates.price)}</p>
  if (rates.kind === 'steps')
    return (
      <ul className={css.rows}>
        {rates.steps.map((step, at) => (
          <li key={at}>
            <span>
              {step.upTo === null
                ? t('stepAbove', { from: rates.steps[at - 1]?.upTo ?? '0', unit })
                : t('stepUpTo', { to: step.upTo, unit })}
            </span>
            <span className={css.number}>{price(step.price)}</span>
          </li>
        ))}
      </ul>
    )
  return (
    <ul className={css.rows}>
      {rates.bands.map((band, at) => (
        <li key={band.name}>
          <span>
            <b>{band.name}</b>{' '}
            <span className={css.muted}>
              {at === rates.otherwise
                ? t('otherTimes')
                : rates.spans
                    .filter(span => span.band === at)
                    .map(span => `${daysText(span.weekdays, t)} ${span.from}\u2013${span.to}`)
                    .join(' · ')}
            </span>
          </span>
          <span className={css.number}>{price(band.price)}</span>
        </li>
      ))}
    </ul>
  )
}

type Translate = ReturnType<typeof useTranslation<'tariffs'>>['t']

function daysText(days: readonly number[], t: Translate): string {
  if (days.length === 7) return t('everyDay')
  return [...days]
    .sort((a, b) => a - b)
    .map(day => t(`weekday.${day as 1}`))
    .join(' ')
}
