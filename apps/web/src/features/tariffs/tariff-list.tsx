import { PlusOutlined } from '@ant-design/icons'
import type { TariffRow } from '@thingwright/contracts/tariffs.contract'
import { Button } from 'antd'
import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../lib/format.ts'
import { ListPage } from '../../ui/list-page/list-page.tsx'
import type { ListColumn, ListFilter, RowAction } from '../../ui/list-page/list-types.ts'
import { useListState } from '../../ui/list-page/use-list-state.ts'
import { PermissionGate } from '../../ui/permission-gate.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { fetchTariffs } from './hooks.ts'
import css from './tariffs.module.css'
import type { Tabs } from './tariffs-page.tsx'
import { useOpen } from './use-open.ts'

const TariffDrawer = lazy(async () => ({ default: (await import('./tariff-drawer.tsx')).TariffDrawer }))
const TariffForm = lazy(async () => ({ default: (await import('./tariff-form.tsx')).TariffForm }))
const NO_FILTERS: ListFilter[] = []
const keyOf = (row: TariffRow) => row.id

/** Tariffs; `?id=` opens one. */
export function TariffList({ tabs }: { tabs: Tabs }) {
  const { t } = useTranslation('tariffs')
  const [id, open] = useOpen()
  const [creating, setCreating] = useState(false)
  const state = useListState(NO_FILTERS)
  const columns = useMemo<ListColumn<TariffRow>[]>(
    () => [
      {
        key: 'name',
        title: t('name'),
        minWidth: 200,
        required: true,
        sortKey: 'name',
        render: row => (
          <Button type="link" className={css.link ?? ''} onClick={() => open(row.id)}>
            {row.name}
          </Button>
        ),
      },
      { key: 'kind', title: t('kindLabel'), width: 136, render: row => (row.kind ? t(`kind.${row.kind}`) : '\u2013') },
      { key: 'unit', title: t('unit'), width: 96, render: row => row.unit },
      {
        key: 'meters',
        title: t('metersCount'),
        width: 104,
        align: 'right',
        render: row => formatNumber(row.meters),
      },
      { key: 'remark', title: t('remark'), minWidth: 160, rank: 1, render: row => row.remark || '\u2013' },
      {
        key: 'createdAt',
        title: t('createdAt'),
        width: 140,
        rank: 2,
        sortKey: 'createdAt',
        render: row => <TimeText value={row.createdAt} />,
      },
    ],
    [t, open],
  )
  const rowActions = useCallback(
    (row: TariffRow): RowAction[] => [{ key: 'open', label: t('open'), onClick: () => open(row.id) }],
    [t, open],
  )
  const create = (
    <PermissionGate of="tariffs.create">
      <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setCreating(true)}>
        {t('addTariff')}
      </Button>
    </PermissionGate>
  )
  return (
    <>
      <ListPage
        id="tariffs"
        operation="tariffs.list"
        fetchPage={fetchTariffs}
        rowKey={keyOf}
        columns={columns}
        filters={NO_FILTERS}
        state={state}
        tabs={tabs}
        searchPlaceholder={t('searchTariff')}
        title={t('title')}
        description={t('lead')}
        actions={create}
        rowActions={rowActions}
        empty={{ title: t('noTariffs'), description: t('noTariffsText'), action: create }}
        exportName={null}
      />
      <Suspense>
        {id && <TariffDrawer key={id} id={id} onClose={() => open(null)} />}
        {creating && <TariffForm onClose={() => setCreating(false)} onDone={tariff => open(tariff.id)} />}
      </Suspense>
    </>
  )
}
