import { DownloadOutlined } from '@ant-design/icons'
import type { DeviceView } from '@thingwright/contracts/devices.contract'
import { Button, Checkbox, Segmented, Select } from 'antd'
import { lazy, Suspense, useMemo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { download } from '../../../lib/api-client.ts'
import { browserZone } from '../../../lib/format.ts'
import { locale } from '../../../lib/i18n.ts'
import { useMay } from '../../../lib/permissions.ts'
import { serverNow } from '../../../lib/server-clock.ts'
import { useWork } from '../../../lib/server-state/use-work.ts'
import { PermissionGate } from '../../../ui/permission-gate.tsx'
import { nameOf } from '../../../ui/schema-form/from-thing-model.ts'
import { EmptyState, ErrorState, NoPermissionState } from '../../../ui/states.tsx'
import shared from '../devices.module.css'
import { useDeviceModel } from '../hooks.ts'
import { isChartable } from '../live/control-kind.ts'
import css from './history.module.css'
import { HistoryTable } from './history-table.tsx'
import { boundsOf, type HistoryWindow, RANGES, type RangeName, readWindow, writeWindow } from './history-window.ts'
import { useHistory } from './use-history.ts'

const HistoryCharts = lazy(async () => ({ default: (await import('./history-charts.tsx')).HistoryCharts }))
const RangePicker = lazy(async () => ({ default: (await import('./range-picker.tsx')).RangePicker }))

/** More at once could not be told apart. */
const MAX_PROPERTIES = 8
const FIRST_SHOWN = 3

/** How values went: charts or table, in any window, beside the period before; everything is in the address. */
export function HistoryTab({ device }: { device: DeviceView }) {
  const { t } = useTranslation('devices')
  const english = locale() === 'en'
  const mayRead = useMay('telemetry.series')
  const { model, error } = useDeviceModel(device)
  const [params, setParams] = useSearchParams()
  const chartable = useMemo(() => (model?.properties ?? []).filter(isChartable), [model])
  const others = useMemo(
    () => (model?.properties ?? []).filter(p => !isChartable(p) && p.history !== false && p.access !== 'w'),
    [model],
  )
  const asked = params.get('props')
  const chosen = useMemo(() => {
    const found = asked === null ? [] : chartable.filter(property => asked.split(',').includes(property.identifier))
    return (found.length > 0 ? found : chartable.slice(0, FIRST_SHOWN)).slice(0, MAX_PROPERTIES)
  }, [asked, chartable])
  const window = readWindow(params)
  const compare = params.get('compare') === '1'
  const table = params.get('view') === 'table'
  const identifiers = chosen.map(property => property.identifier)
  const history = useHistory(device.id, mayRead ? identifiers : [], window, compare && !table)
  const trail = useRef<HistoryWindow[]>([])
  const { attempt, pending: exporting } = useWork()
  const set = (change: Record<string, string | null>) =>
    setParams(
      before => {
        const next = new URLSearchParams(before)
        for (const [key, value] of Object.entries(change)) {
          if (value === null) next.delete(key)
          else next.set(key, value)
        }
        return next
      },
      { replace: true, preventScrollReset: true },
    )
  const look = (next: HistoryWindow) => set(writeWindow(next))
  const zoom = (from: number, to: number) => {
    trail.current.push(window)
    look({ kind: 'fixed', from, to })
  }
  const back = () => {
    const before = trail.current.pop()
    if (before) look(before)
    else if (window.kind === 'fixed') look({ kind: 'last', name: '24h' })
  }
  if (!mayRead) return <NoPermissionState of="telemetry.series" />
  if (!model) return error ? <ErrorState error={error} /> : <div className={shared.tabBone} />
  if (chartable.length === 0 && others.length === 0)
    return <EmptyState title={t('noHistory')} description={t('noHistoryText')} />
  const bounds = history.data ?? boundsOf(window, serverNow())
  const exportAs = async (format: 'csv' | 'xlsx') => {
    await attempt(async () => {
      const { from, to } = boundsOf(window, serverNow())
      await download('telemetry.exportCsv', `${device.deviceNo}.${format}`, {
        params: { id: device.id },
        query: { identifier: identifiers.join(','), from: Math.round(from), to: Math.round(to), format },
      })
    })
  }
  return (
    <div className={css.history}>
      <div className={css.historyBar}>
        <Select
          mode="multiple"
          className={css.pickProperties ?? ''}
          aria-label={t('properties')}
          value={identifiers}
          maxTagCount="responsive"
          maxCount={MAX_PROPERTIES}
          options={chartable.map(property => ({
            value: property.identifier,
            label: nameOf(property, english),
          }))}
          showSearch={{ optionFilterProp: 'label' }}
          onChange={(next: string[]) => {
            if (next.length > 0) set({ props: next.join(',') })
          }}
        />
        {chartable.length > MAX_PROPERTIES && (
          <span className={shared.hint}>
            {t('shownOf', { count: chosen.length, all: chartable.length, most: MAX_PROPERTIES })}
          </span>
        )}
        <Segmented
          value={window.kind === 'last' ? window.name : 'custom'}
          options={[
            ...(Object.keys(RANGES) as RangeName[]).map(name => ({ value: name, label: t(`range.${name}`) })),
            ...(window.kind === 'fixed' ? [{ value: 'custom', label: t('range.custom') }] : []),
          ]}
          onChange={next => {
            trail.current = []
            if (next !== 'custom') look({ kind: 'last', name: next as RangeName })
          }}
        />
        <Suspense fallback={<span className={css.pickerBone} />}>
          <RangePicker
            from={bounds.from}
            to={bounds.to}
            onChange={(from, to) => {
              trail.current = []
              look({ kind: 'fixed', from, to })
            }}
          />
        </Suspense>
        {window.kind === 'fixed' && <Button onClick={back}>{t('zoomBack')}</Button>}
        <Checkbox
          checked={compare}
          disabled={table}
          onChange={event => set({ compare: event.target.checked ? '1' : null })}
        >
          {t('compare')}
        </Checkbox>
        <span className={css.barEnd}>
          <Segmented
            value={table ? 'table' : 'chart'}
            options={[
              { value: 'chart', label: t('asChart') },
              { value: 'table', label: t('asTable') },
            ]}
            onChange={next => set({ view: next === 'table' ? 'table' : null })}
          />
          <PermissionGate of="telemetry.exportCsv">
            <Button
              icon={<DownloadOutlined aria-hidden />}
              loading={exporting}
              disabled={identifiers.length === 0}
              onClick={() => void exportAs('xlsx')}
            >
              XLSX
            </Button>
            <Button loading={exporting} disabled={identifiers.length === 0} onClick={() => void exportAs('csv')}>
              CSV
            </Button>
          </PermissionGate>
        </span>
      </div>
      {table ? (
        <HistoryTable
          deviceId={device.id}
          properties={[...chosen, ...chartable.filter(p => !chosen.includes(p)), ...others]}
          from={bounds.from}
          to={bounds.to}
        />
      ) : history.isError && !history.data ? (
        <ErrorState error={history.error} onRetry={() => void history.refetch()} />
      ) : !history.data ? (
        <div className={css.chartBone} />
      ) : (
        <Suspense fallback={<div className={css.chartBone} />}>
          <div className={history.isPlaceholderData ? css.refreshing : undefined}>
            <HistoryCharts properties={chosen} data={history.data} onZoom={zoom} onReset={back} />
          </div>
          <p className={shared.hint}>
            {t('chartHelp')} {t('timesIn', { zone: browserZone() })}
          </p>
        </Suspense>
      )}
    </div>
  )
}
