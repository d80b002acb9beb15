import { PlusOutlined } from '@ant-design/icons'
import type { CarrierView } from '@thingwright/contracts/carriers.contract'
import { Button, Tag } from 'antd'
import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../lib/format.ts'
import { locale } from '../../lib/i18n.ts'
import { notify } from '../../lib/notify.ts'
import { useMay } from '../../lib/permissions.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { ListPage } from '../../ui/list-page/list-page.tsx'
import type { ListColumn, ListFilter, RowAction } from '../../ui/list-page/list-types.ts'
import { useListState } from '../../ui/list-page/use-list-state.ts'
import { PermissionGate } from '../../ui/permission-gate.tsx'
import { type StatusKind, StatusTag } from '../../ui/status-tag.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { fetchAccounts, type ListProps } from './hooks.ts'
import css from './sim-cards.module.css'

const AccountDrawer = lazy(async () => ({ default: (await import('./account-drawer.tsx')).AccountDrawer }))

const KIND: Record<CarrierView['state'], StatusKind> = {
  untested: 'never',
  ok: 'success',
  failed: 'error',
  disabled: 'disabled',
}
const keyOf = (row: CarrierView) => row.id
const NO_FILTERS: readonly ListFilter[] = []

/** Accounts at a carrier: tested, synced, changed. */
export function AccountList({ carrier, tabs }: ListProps) {
  const { t } = useTranslation('sim-cards')
  const fetchPage = useMemo(() => fetchAccounts(carrier), [carrier])
  const state = useListState(NO_FILTERS)
  const mayConfigure = useMay('carriers.update')
  const maySync = useMay('carriers.sync')
  const [open, setOpen] = useState<CarrierView | 'new' | null>(null)
  const test = useAct('carriers.test', {
    done: reply => {
      if (reply.state === 'ok') notify.success(t('testOk'))
      else notify.error(t('testFailed', { text: [reply.fault?.code, reply.fault?.text].filter(Boolean).join(' ') }))
    },
  })
  const sync = useAct('carriers.sync', { touches: ['tasks', 'simCards'], done: () => notify.success(t('syncStarted')) })
  const remove = useAct('carriers.remove', { done: () => notify.success(t('removed')) })
  const rowActions = useCallback(
    (row: CarrierView): RowAction[] => [
      ...(mayConfigure
        ? [{ key: 'test', label: t('test'), onClick: () => void test.run({ params: { id: row.id } }) }]
        : []),
      ...(maySync
        ? [{ key: 'sync', label: t('syncAll'), onClick: () => void sync.run({ params: { id: row.id } }) }]
        : []),
      ...(mayConfigure
        ? [
            { key: 'edit', label: t('edit'), onClick: () => setOpen(row) },
            {
              key: 'remove',
              label: t('remove'),
              danger: true,
              disabled: row.cards > 0,
              ...(row.cards > 0 ? { title: t('accountInUse') } : {}),
              onClick: () => void remove.run({ params: { id: row.id } }),
            },
          ]
        : []),
    ],
    [t, mayConfigure, maySync, test, sync, remove],
  )
  const columns = useMemo<ListColumn<CarrierView>[]>(
    () => [
      {
        key: 'name',
        title: t('name'),
        minWidth: 160,
        required: true,
        render: row => (
          <span title={row.name} dir="auto">
            {row.name}
            {row.simulated && <Tag className={css.tag ?? ''}>{t('simulated')}</Tag>}
          </span>
        ),
        csv: row => row.name,
      },
      {
        key: 'kind',
        title: t('interface'),
        width: 160,
        render: row => t(`kinds.${row.kind}`),
        csv: row => t(`kinds.${row.kind}`),
      },
      {
        key: 'account',
        title: t('accountNo'),
        minWidth: 140,
        rank: 2,
        render: row => row.account,
        csv: row => row.account,
      },
      {
        key: 'state',
        title: t('state'),
        minWidth: 180,
        required: true,
        render: row => (
          <span className={css.twoLines}>
            <StatusTag kind={KIND[row.state]}>{t(`accountStates.${row.state}`)}</StatusTag>
            {row.fault && (
              <small title={row.fault.text}>{[row.fault.code, row.fault.text].filter(Boolean).join(' ')}</small>
            )}
          </span>
        ),
        csv: row => t(`accountStates.${row.state}`),
      },
      {
        key: 'cards',
        title: t('cardCount'),
        width: 96,
        align: 'right',
        rank: 3,
        render: row => formatNumber(row.cards),
        csv: row => row.cards,
      },
      {
        key: 'syncedAt',
        title: t('synced'),
        width: 132,
        rank: 1,
        render: row => (row.syncedAt ? <TimeText value={row.syncedAt} /> : t('never')),
      },
    ],
    [t],
  )
  const add = (
    <PermissionGate of="carriers.create">
      <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setOpen('new')}>
        {t('addAccount')}
      </Button>
    </PermissionGate>
  )
  return (
    <>
      <ListPage
        id={`carriers-${carrier}`}
        operation="carriers.list"
        about={carrier}
        fetchPage={fetchPage}
        rowKey={keyOf}
        columns={columns}
        filters={NO_FILTERS}
        state={state}
        tabs={tabs}
        searchPlaceholder={t('searchAccounts')}
        title={t(`title.${carrier}`)}
        description={t('accountsLead')}
        actions={add}
        rowActions={rowActions}
        actionsWidth={locale() === 'en' ? 176 : 168}
        empty={{ title: t('accountsEmpty'), description: t('accountsEmptyText'), action: add }}
        exportName="carrier-accounts"
      />
      <Suspense>
        {open !== null && (
          <AccountDrawer account={open === 'new' ? null : open} carrier={carrier} onClose={() => setOpen(null)} />
        )}
      </Suspense>
    </>
  )
}
