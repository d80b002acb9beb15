import { PlusOutlined } from '@ant-design/icons'
import type { MeterRow } from '@thingwright/contracts/meters.contract'
import { METER_MODES } from '@thingwright/contracts/tariffs.words'
import { Button } from 'antd'
import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ListPage } from '../../ui/list-page/list-page.tsx'
import type { ListColumn, ListFilter, RowAction } from '../../ui/list-page/list-types.ts'
import { useListState } from '../../ui/list-page/use-list-state.ts'
import { PermissionGate } from '../../ui/permission-gate.tsx'
import { StatusTag } from '../../ui/status-tag.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { fetchMeters } from './hooks.ts'
import css from './tariffs.module.css'
import type { Tabs } from './tariffs-page.tsx'
import { useOpen } from './use-open.ts'

const MeterDrawer = lazy(async () => ({ default: (await import('./meter-drawer.tsx')).MeterDrawer }))
const MeterForm = lazy(async () => ({ default: (await import('./meter-form.tsx')).MeterForm }))
const keyOf = (row: MeterRow) => row.id

/** Meters of end users; `?id=` opens one. */
export function MeterList({ tabs }: { tabs: Tabs }) {
  const { t } = useTranslation('tariffs')
  const [id, open] = useOpen()
  const [creating, setCreating] = useState(false)
  const filters = useMemo<ListFilter[]>(
    () => [
      { key: 'mode', label: t('modeLabel'), options: METER_MODES.map(value => ({ value, label: t(`mode.${value}`) })) },
      {
        key: 'problem',
        label: t('problem'),
        options: (['1', '0'] as const).map(value => ({ value, label: t(`problems.${value}`) })),
      },
    ],
    [t],
  )
  const state = useListState(filters)
  const columns = useMemo<ListColumn<MeterRow>[]>(
    () => [
      {
        key: 'name',
        title: t('meter'),
        minWidth: 168,
        required: true,
        sortKey: 'name',
        render: row => (
          <Button type="link" className={css.link ?? ''} onClick={() => open(row.id)}>
            {row.name}
          </Button>
        ),
      },
      { key: 'user', title: t('endUser'), minWidth: 136, render: row => row.endUserName || '\u2013' },
      {
        key: 'device',
        title: t('device'),
        minWidth: 168,
        rank: 2,
        render: row => `${row.deviceName} · ${row.property}`,
      },
      { key: 'tariff', title: t('tariff'), minWidth: 136, rank: 3, render: row => row.tariffName },
      { key: 'mode', title: t('modeLabel'), width: 112, render: row => t(`mode.${row.mode}`) },
      {
        key: 'billedTo',
        title: t('billedTo'),
        width: 152,
        rank: 1,
        render: row => (row.billedTo ? <TimeText value={row.billedTo} mode="absolute" /> : '\u2013'),
      },
      {
        key: 'problem',
        title: t('stateLabel'),
        width: 136,
        render: row =>
          row.problem ? (
            <StatusTag kind="error" title={row.problem.message}>
              {t(`why.${row.problem.code}`)}
            </StatusTag>
          ) : (
            <StatusTag kind="success">{t('fine')}</StatusTag>
          ),
      },
    ],
    [t, open],
  )
  const rowActions = useCallback(
    (row: MeterRow): RowAction[] => [{ key: 'open', label: t('open'), onClick: () => open(row.id) }],
    [t, open],
  )
  const create = (
    <PermissionGate of="meters.create">
      <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setCreating(true)}>
        {t('addMeter')}
      </Button>
    </PermissionGate>
  )
  return (
    <>
      <ListPage
        id="meters"
        operation="meters.list"
        fetchPage={fetchMeters}
        rowKey={keyOf}
        columns={columns}
        filters={filters}
        state={state}
        tabs={tabs}
        searchPlaceholder={t('searchMeter')}
        title={t('title')}
        actions={create}
        rowActions={rowActions}
        empty={{ title: t('noMeters'), description: t('noMetersText'), action: create }}
        exportName="meters"
        exportPath="/api/v1/meters/export"
      />
      <Suspense>
        {id && <MeterDrawer key={id} id={id} onClose={() => open(null)} />}
        {creating && <MeterForm onClose={() => setCreating(false)} onDone={meter => open(meter.id)} />}
      </Suspense>
    </>
  )
}
