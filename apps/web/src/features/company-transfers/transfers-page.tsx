import { PlusOutlined } from '@ant-design/icons'
import type { CompanyTransferView } from '@thingwright/contracts/company-transfers.contract'
import { COMPANY_TRANSFER_STATES, type CompanyTransferState } from '@thingwright/contracts/company-transfers.words'
import { Button, Modal } from 'antd'
import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation, useSearchParams } from 'react-router'
import { type Body, call, type Query } from '../../lib/api-client.ts'
import { formatDateTime, formatNumber } from '../../lib/format.ts'
import { notify } from '../../lib/notify.ts'
import { useMay } from '../../lib/permissions.ts'
import { personName } from '../../lib/person-name.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { ListPage } from '../../ui/list-page/list-page.tsx'
import type { FetchPage, ListColumn, ListFilter, RowAction } from '../../ui/list-page/list-types.ts'
import { useListState } from '../../ui/list-page/use-list-state.ts'
import { PermissionGate } from '../../ui/permission-gate.tsx'
import { type StatusKind, StatusTag } from '../../ui/status-tag.tsx'
import { TimeText } from '../../ui/time-text.tsx'

const OfferDialog = lazy(async () => ({ default: (await import('./offer-dialog.tsx')).OfferDialog }))
const AcceptDialog = lazy(async () => ({ default: (await import('./accept-dialog.tsx')).AcceptDialog }))
const TransferDrawer = lazy(async () => ({ default: (await import('./transfer-drawer.tsx')).TransferDrawer }))

const keyOf = (row: CompanyTransferView) => row.id
const hrefOf = (row: CompanyTransferView) => `/manage/company-transfers?transfer=${row.id}`
const fetchTransfers: FetchPage<CompanyTransferView> = ({ filters, ...input }, signal) =>
  call('companyTransfers.list', { query: { ...input, ...filters } as Query<'companyTransfers.list'>, signal })

const REFRESH_MS = 2_000
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** What goes on is read again by itself. */
const refresh = (rows: readonly CompanyTransferView[]) =>
  rows.some(({ state }) => state === 'running') ? REFRESH_MS : false

const KINDS: Record<CompanyTransferState, StatusKind> = {
  offered: 'warning',
  running: 'processing',
  done: 'success',
  withdrawn: 'neutral',
  expired: 'neutral',
}

interface Chosen {
  target: Body<'companyTransfers.create'>['target']
  count: number
}

/** What the list of devices brought along. */
function targetIn(state: unknown): Chosen | undefined {
  const { target, count } = (state ?? {}) as Partial<Chosen>
  return target && count ? { target, count } : undefined
}

/** Ids of devices in an address; none: the form asks for them. */
function targetOf(offered: string): Chosen | undefined {
  const ids = offered.split(',').filter(id => ID.test(id))
  return ids.length > 0 ? { target: { ids }, count: ids.length } : undefined
}

/**
 * Devices that go to other companies of the installation and come from them. `?transfer=` opens one, `?offer=` the form with
 * devices: by their ids, or with those that the list of devices brought along.
 */
export function TransfersPage() {
  const { t } = useTranslation('company-transfers')
  const mayWrite = useMay('companyTransfers.create')
  const [params, setParams] = useSearchParams()
  const location = useLocation()
  const [open, setOpen] = useState<'offer' | 'accept' | null>(null)
  const [modal, holder] = Modal.useModal()
  const { run: withdraw } = useAct('companyTransfers.withdraw', { done: () => notify.success(t('withdrawn')) })
  const filters = useMemo<ListFilter[]>(
    () => [
      {
        key: 'direction',
        label: t('direction'),
        options: (['out', 'in'] as const).map(value => ({ value, label: t(`directions.${value}`) })),
      },
      {
        key: 'state',
        label: t('state'),
        options: COMPANY_TRANSFER_STATES.map(value => ({ value, label: t(`states.${value}`) })),
      },
    ],
    [t],
  )
  const state = useListState(filters)
  const columns = useMemo<ListColumn<CompanyTransferView>[]>(() => {
    const otherOf = (row: CompanyTransferView) =>
      row.direction === 'out' ? row.toName || t('nobodyYet') : row.fromName
    const countOf = (row: CompanyTransferView) =>
      row.state === 'offered'
        ? t('devicesCount', { count: row.total, text: formatNumber(row.total) })
        : t('movedOf', { moved: formatNumber(row.moved), all: formatNumber(row.total) })
    const alongOf = (row: CompanyTransferView) =>
      [t(row.withHistory ? 'historyYes' : 'historyNo'), t(row.withTriggers ? 'triggersYes' : 'triggersNo')].join(' · ')
    return [
      {
        key: 'createdAt',
        title: t('createdAt'),
        width: 152,
        required: true,
        render: row => <TimeText value={row.createdAt} />,
        csv: row => formatDateTime(row.createdAt),
      },
      {
        key: 'direction',
        title: t('direction'),
        width: 88,
        required: true,
        render: row => t(`directions.${row.direction}`),
        csv: row => t(`directions.${row.direction}`),
      },
      { key: 'other', title: t('other'), minWidth: 160, required: true, render: otherOf, csv: otherOf },
      { key: 'devices', title: t('devices'), width: 152, render: countOf, csv: countOf },
      {
        key: 'state',
        title: t('state'),
        width: 120,
        required: true,
        render: row => <StatusTag kind={KINDS[row.state]}>{t(`states.${row.state}`)}</StatusTag>,
        csv: row => t(`states.${row.state}`),
      },
      { key: 'along', title: t('along'), minWidth: 176, rank: 2, render: alongOf, csv: alongOf },
      {
        key: 'byName',
        title: t('byName'),
        width: 120,
        rank: 1,
        render: row => personName(row.byName),
        csv: row => row.byName,
      },
      {
        key: 'expiresAt',
        title: t('expiresAt'),
        width: 152,
        rank: 3,
        render: row => (row.state === 'offered' ? <TimeText value={row.expiresAt} /> : '–'),
        csv: row => formatDateTime(row.expiresAt),
      },
    ]
  }, [t])
  const rowActions = useCallback(
    (row: CompanyTransferView): RowAction[] =>
      mayWrite && row.direction === 'out' && row.state === 'offered'
        ? [
            {
              key: 'withdraw',
              label: t('withdraw'),
              danger: true,
              onClick: () => {
                modal.confirm({
                  title: t('withdrawTitle'),
                  content: t('withdrawText'),
                  okText: t('withdraw'),
                  cancelText: t('cancel'),
                  okButtonProps: { danger: true },
                  onOk: () => withdraw({ params: { id: row.id } }),
                })
              },
            },
          ]
        : [],
    [t, mayWrite, modal, withdraw],
  )
  const actions = (
    <PermissionGate of="companyTransfers.create">
      <Button onClick={() => setOpen('accept')}>{t('accept')}</Button>
      <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setOpen('offer')}>
        {t('offer')}
      </Button>
    </PermissionGate>
  )
  const shown = params.get('transfer')
  const without = (key: string) =>
    setParams(
      before => {
        const next = new URLSearchParams(before)
        next.delete(key)
        return next
      },
      { preventScrollReset: true, replace: true },
    )
  const offered = params.get('offer')
  const chosen = offered === null ? undefined : (targetIn(location.state) ?? targetOf(offered))
  const close = () => {
    setOpen(null)
    if (offered !== null) without('offer')
  }
  return (
    <>
      <ListPage
        id="company-transfers"
        operation="companyTransfers.list"
        fetchPage={fetchTransfers}
        rowKey={keyOf}
        rowHref={hrefOf}
        columns={columns}
        filters={filters}
        state={state}
        refreshMs={refresh}
        searchPlaceholder={t('search')}
        title={t('title')}
        description={t('lead')}
        actions={actions}
        rowActions={rowActions}
        empty={{ title: t('emptyTitle'), description: t('emptyText'), action: actions }}
        exportName="company-transfers"
      />
      {holder}
      <Suspense>
        {(open === 'offer' || (offered !== null && mayWrite)) && <OfferDialog chosen={chosen} onClose={close} />}
        {open === 'accept' && <AcceptDialog onClose={close} />}
        {shown !== null && <TransferDrawer key={shown} id={shown} onClose={() => without('transfer')} />}
      </Suspense>
    </>
  )
}
