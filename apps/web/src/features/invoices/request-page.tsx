import type { InvoiceSource } from '@thingwright/contracts/invoices.contract'
import { Alert, Select } from 'antd'
import { lazy, Suspense, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatMoney } from '../../lib/format.ts'
import { useMay } from '../../lib/permissions.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import { ListPage } from '../../ui/list-page/list-page.tsx'
import type { BatchAction, ListColumn, ListFilter } from '../../ui/list-page/list-types.ts'
import { useListState } from '../../ui/list-page/use-list-state.ts'
import { Facts, Panel } from '../../ui/panel.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { fetchSources, INVOICES } from './hooks.ts'
import css from './invoices.module.css'

const RequestDrawer = lazy(async () => ({ default: (await import('./request-drawer.tsx')).RequestDrawer }))

const keyOf = (row: InvoiceSource) => row.orderId
const NO_FILTERS: readonly ListFilter[] = []

/** Orders with an open amount; those that are chosen become one invoice. */
export function RequestPage() {
  const { t } = useTranslation('invoices')
  const state = useListState(NO_FILTERS)
  const [chosen, setChosen] = useState<InvoiceSource[] | null>(null)
  const columns = useMemo<ListColumn<InvoiceSource>[]>(
    () => [
      {
        key: 'no',
        title: t('source.order'),
        minWidth: 184,
        required: true,
        render: row => <Link to={`/cost/order/detail?id=${row.orderId}`}>{row.orderNo}</Link>,
        csv: row => row.orderNo,
      },
      {
        key: 'name',
        title: t('source.what'),
        minWidth: 160,
        rank: 1,
        render: row => row.name || t(`kind.${row.kind}`),
        csv: row => row.name,
      },
      ...(['paidFen', 'refundedFen', 'invoicedFen', 'openFen'] as const).map(
        (key, at): ListColumn<InvoiceSource> => ({
          key,
          title: t(`source.${key}`),
          width: 128,
          align: 'right',
          ...(at < 3 ? { rank: at } : {}),
          render: row => <span className={css.money}>{formatMoney(row[key])}</span>,
          csv: row => row[key] / 100,
        }),
      ),
      {
        key: 'paidAt',
        title: t('source.paidAt'),
        width: 160,
        sortKey: 'paidAt',
        render: row => <TimeText value={row.paidAt} mode="absolute" />,
        csv: row => row.paidAt,
      },
    ],
    [t],
  )
  const batch = useMemo<BatchAction<InvoiceSource>[]>(
    () => [{ key: 'ask', label: t('ask'), of: 'invoices.create', onClick: rows => setChosen(rows) }],
    [t],
  )
  return (
    <>
      <ListPage
        id="invoice-sources"
        operation="invoices.sources"
        fetchPage={fetchSources}
        rowKey={keyOf}
        columns={columns}
        filters={NO_FILTERS}
        state={state}
        searchPlaceholder={t('source.search')}
        title={t('requestTitle')}
        description={t('requestLead')}
        summary={<Account />}
        batchActions={batch}
        empty={{ title: t('source.emptyTitle'), description: t('source.emptyText') }}
        exportName="invoice-sources"
      />
      <Suspense>{chosen && <RequestDrawer sources={chosen} onClose={() => setChosen(null)} />}</Suspense>
    </>
  )
}

/** How much can be invoiced, and of what. */
function Account() {
  const { t } = useTranslation('invoices')
  const read = useRead('invoices.account')
  const mayWrite = useMay('invoices.setAccount')
  const set = useAct('invoices.setAccount', { touches: INVOICES })
  const account = read.data
  if (!account) return null
  return (
    <Panel>
      <Facts
        items={[
          { label: t('account.open'), value: <b>{formatMoney(Math.min(account.openFen, account.limitFen))}</b> },
          {
            label: t('account.basis'),
            value: (
              <Select
                aria-label={t('account.basis')}
                value={account.basis}
                disabled={!mayWrite}
                loading={set.pending}
                options={(['order', 'top_up'] as const).map(value => ({ value, label: t(`account.${value}`) }))}
                onChange={basis => void set.run({ body: { basis, version: account.version } })}
                className={css.choice}
              />
            ),
          },
          { label: t('account.least'), value: formatMoney(account.minFen) },
        ]}
      />
      {account.openFen > account.limitFen && (
        <Alert type="info" showIcon title={t('account.gifts', { amount: formatMoney(account.limitFen) })} />
      )}
    </Panel>
  )
}
