import type { RegistrationView } from '@thingwright/contracts/device-identity.contract'
import { Button } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../../lib/api-client.ts'
import { every } from '../../../lib/every.ts'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { usePages } from '../../../lib/server-state/use-pages.ts'
import { useWork } from '../../../lib/server-state/use-work.ts'
import { DataTable } from '../../../ui/list-page/data-table.tsx'
import type { ListColumn } from '../../../ui/list-page/list-types.ts'
import { EmptyState, ErrorState } from '../../../ui/states.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { TimeText } from '../../../ui/time-text.tsx'

const KIND = { waiting: 'processing', approved: 'success', rejected: 'disabled' } as const
const EVERY_MS = 15_000
const PAGE = 50
/** As many as one call takes. */
const AT_ONCE = 100

/** Devices that asked to be registered: who waits, and what was decided lately. */
export function RegistrationList({ productId }: { productId: string }) {
  const { t } = useTranslation('product-identity')
  const mayDecide = useMay('productIdentity.decide')
  const list = usePages(
    'productIdentity.registrations',
    { params: { id: productId }, query: { limit: PAGE } },
    { refetchInterval: every(EVERY_MS) },
  )
  const [chosen, setChosen] = useState<ReadonlyMap<string, RegistrationView>>(new Map())
  const { attempt, pending: busy } = useWork({ touches: ['productIdentity'] })
  const rows: RegistrationView[] = list.data?.pages.flatMap(page => page.items) ?? []
  const decide = async (decision: 'approve' | 'reject', of: readonly RegistrationView[]) => {
    await attempt(async () => {
      const failed: string[] = []
      for (let from = 0; from < of.length; from += AT_ONCE) {
        const ids = of.slice(from, from + AT_ONCE).map(row => row.id)
        const { items } = await call('productIdentity.decide', { params: { id: productId }, body: { decision, ids } })
        failed.push(...items.filter(item => !item.ok).map(item => `${item.deviceNo} (${item.code})`))
      }
      if (failed.length > 0)
        notify.error(t('decideFailed', { list: failed.slice(0, 5).join(', '), count: failed.length }))
      else notify.success(t(decision === 'approve' ? 'approvedMany' : 'rejectedMany', { count: of.length }))
      setChosen(new Map())
    })
  }
  const columns = useMemo<ListColumn<RegistrationView>[]>(
    () => [
      { key: 'deviceNo', title: t('deviceNo'), minWidth: 176, render: row => <code>{row.deviceNo}</code> },
      {
        key: 'state',
        title: t('state'),
        width: 112,
        render: row => (
          <span title={row.decidedBy ?? ''}>
            <StatusTag kind={KIND[row.state]}>{t(`states.${row.state}`)}</StatusTag>
          </span>
        ),
      },
      { key: 'address', title: t('address'), width: 136, render: row => row.address },
      { key: 'asks', title: t('asks'), width: 80, rank: 1, align: 'right', render: row => row.asks },
      { key: 'last', title: t('lastAsked'), width: 112, render: row => <TimeText value={row.lastAskedAt} /> },
    ],
    [t],
  )
  if (list.isError && !list.data) return <ErrorState error={list.error} onRetry={() => void list.refetch()} />
  if (list.data && rows.length === 0) return <EmptyState title={t('nobodyWaits')} description={t('nobodyWaitsText')} />
  const waiting = [...chosen.values()]
  return (
    <div style={{ marginTop: 16, overflowX: 'auto' }}>
      {mayDecide && waiting.length > 0 && (
        <div style={{ display: 'flex', gap: 8, alignItems: 'center', marginBottom: 8 }}>
          <span>{t('chosen', { count: waiting.length })}</span>
          <Button type="primary" size="small" loading={busy} onClick={() => void decide('approve', waiting)}>
            {t('approve')}
          </Button>
          <Button size="small" danger disabled={busy} onClick={() => void decide('reject', waiting)}>
            {t('reject')}
          </Button>
        </div>
      )}
      <DataTable
        label={t('approveList')}
        columns={columns}
        rows={rows}
        rowKey={row => row.id}
        density="dense"
        skeleton={list.isPending ? 3 : 0}
        {...(mayDecide
          ? {
              selection: {
                selected: chosen,
                toggle: (changed: readonly RegistrationView[], on: boolean) => {
                  const next = new Map(chosen)
                  for (const row of changed) {
                    if (on && row.state === 'waiting') next.set(row.id, row)
                    else next.delete(row.id)
                  }
                  setChosen(next)
                },
              },
              actions: (row: RegistrationView) => [
                {
                  key: 'approve',
                  label: t('approve'),
                  disabled: busy || row.state === 'approved',
                  onClick: () => void decide('approve', [row]),
                },
                {
                  key: 'reject',
                  label: t('reject'),
                  danger: true,
                  disabled: busy || row.state !== 'waiting',
                  onClick: () => void decide('reject', [row]),
                },
              ],
            }
          : {})}
      />
      {list.hasNextPage && (
        <Button type="link" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          {t('more')}
        </Button>
      )}
    </div>
  )
}
