import { PlusOutlined, UploadOutlined } from '@ant-design/icons'
import { API_PATHS } from '@thingwright/contracts/api-paths'
import type { CardAction, SimCardView } from '@thingwright/contracts/sim-cards.contract'
import { CARD_STATES, CARD_TERMS, CARD_USES, USAGE_LINES } from '@thingwright/contracts/sim-cards.words'
import { Button, Space, Tag } from 'antd'
import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useSearchParams } from 'react-router'
import { formatDateTime, formatNumber } from '../../lib/format.ts'
import { locale } from '../../lib/i18n.ts'
import { useMay } from '../../lib/permissions.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import { ListPage } from '../../ui/list-page/list-page.tsx'
import type { BatchAction, ListColumn, ListFilter, RowAction } from '../../ui/list-page/list-types.ts'
import { useListState } from '../../ui/list-page/use-list-state.ts'
import { PermissionGate } from '../../ui/permission-gate.tsx'
import { StatusTag } from '../../ui/status-tag.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { addressOf, fetchCards, type ListProps, STATE_KIND, shareText, sizeText, useAccounts } from './hooks.ts'
import css from './sim-cards.module.css'

const CardDrawer = lazy(async () => ({ default: (await import('./card-drawer.tsx')).CardDrawer }))
const ImportDrawer = lazy(async () => ({ default: (await import('./import-drawer.tsx')).ImportDrawer }))
const AddDrawer = lazy(async () => ({ default: (await import('./add-drawer.tsx')).AddDrawer }))
const OperateDialog = lazy(async () => ({ default: (await import('./operate-dialog.tsx')).OperateDialog }))
const BindDialog = lazy(async () => ({ default: (await import('./bind-dialog.tsx')).BindDialog }))
const BatchDrawer = lazy(async () => ({ default: (await import('./batch-drawer.tsx')).BatchDrawer }))
const RemoveDialog = lazy(async () => ({ default: (await import('./remove-dialog.tsx')).RemoveDialog }))

const keyOf = (row: SimCardView) => row.id
const DIRECT: readonly CardAction[] = ['activate', 'stop', 'resume']
const REFRESH_MS = 15_000

type Open =
  | { kind: 'import' | 'add' }
  | { kind: 'operate'; cards: SimCardView[]; action: CardAction }
  | { kind: 'batch'; cards: SimCardView[] }
  | { kind: 'bind' | 'remove'; card: SimCardView }

/** The cards of a carrier. */
export function CardList({ carrier, tabs }: ListProps) {
  const { t } = useTranslation('sim-cards')
  const [params, setParams] = useSearchParams()
  const [open, setOpen] = useState<Open | null>(null)
  const mayOperate = useMay('simCards.operate')
  const mayWrite = useMay('simCards.bind')
  const mayRemove = useMay('simCards.remove')
  const accounts = useAccounts(carrier)
  const counts = useRead('simCards.counts', { query: { carrier } }, { staleTime: 10_000 })
  const fetchPage = useMemo(() => fetchCards(carrier), [carrier])
  const filters = useMemo<ListFilter[]>(
    () => [
      { key: 'state', label: t('state'), options: CARD_STATES.map(value => ({ value, label: t(`states.${value}`) })) },
      {
        key: 'online',
        label: t('session'),
        options: ['yes', 'no'].map(value => ({ value, label: t(`onlineIs.${value}`) })),
      },
      {
        key: 'bound',
        label: t('device'),
        options: ['yes', 'no'].map(value => ({ value, label: t(`boundIs.${value}`) })),
      },
      {
        key: 'usage',
        label: t('usage'),
        options: USAGE_LINES.map(value => ({ value, label: t(`usageIs.${value}`) })),
      },
      {
        key: 'expiring',
        label: t('expires'),
        options: ['7', '30'].map(value => ({ value, label: t('within', { days: value }) })),
      },
      { key: 'use', label: t('use'), options: CARD_USES.map(value => ({ value, label: t(`uses.${value}`) })) },
      { key: 'term', label: t('term'), options: CARD_TERMS.map(value => ({ value, label: t(`terms.${value}`) })) },
      {
        key: 'searchable',
        label: t('searchable'),
        options: (['yes', 'no'] as const).map(value => ({ value, label: t(value) })),
      },
      {
        key: 'connectionId',
        label: t('account'),
        options: accounts.map(({ id, name }) => ({ value: id, label: name })),
        open: true,
      },
      { key: 'pool', label: t('pool') },
      { key: 'tag', label: t('tags') },
    ],
    [t, accounts],
  )
  const state = useListState(filters)
  const show = useCallback(
    (id: string | null) =>
      setParams(now => {
        const next = new URLSearchParams(now)
        if (id === null) next.delete('card')
        else next.set('card', id)
        return next
      }),
    [setParams],
  )
  const columns = useMemo<ListColumn<SimCardView>[]>(
    () => [
      {
        key: 'iccid',
        title: t('card'),
        minWidth: 208,
        required: true,
        sortKey: 'iccid',
        render: row => (
          <span className={css.twoLines}>
            <button type="button" className={css.link} onClick={() => show(row.id)}>
              {row.iccid}
            </button>
            <small>
              {row.msisdn ?? '–'}
              {row.simulated && <Tag className={css.tag ?? ''}>{t('simulated')}</Tag>}
            </small>
          </span>
        ),
        csv: row => row.iccid,
      },
      {
        key: 'state',
        title: t('state'),
        width: 148,
        required: true,
        render: row => (
          <span className={css.twoLines}>
            <StatusTag kind={STATE_KIND[row.state]} title={[row.rawState, row.rawStateText].filter(Boolean).join(' ')}>
              {t(`states.${row.state}`)}
            </StatusTag>
            {(row.stopReason || row.syncFault) && (
              <small title={row.syncFault ?? ''}>
                {row.stopReason ? t(`reasons.${row.stopReason}`) : t('syncFailed')}
              </small>
            )}
          </span>
        ),
        csv: row => t(`states.${row.state}`),
      },
      {
        key: 'online',
        title: t('session'),
        width: 120,
        rank: 4,
        render: row =>
          row.online === null ? (
            '–'
          ) : (
            <StatusTag kind={row.online ? 'online' : 'offline'}>{t(`onlineIs.${row.online ? 'yes' : 'no'}`)}</StatusTag>
          ),
      },
      {
        key: 'usage',
        title: t('usage'),
        width: 160,
        rank: 5,
        sortKey: 'monthKb',
        render: row => (
          <span className={css.twoLines}>
            <span>
              {sizeText(row.monthKb)}
              {row.planKb ? ` / ${sizeText(row.planKb)}` : ''}
            </span>
            {shareText(row) && <small>{shareText(row)}</small>}
          </span>
        ),
        csv: row => row.monthKb ?? '',
      },
      {
        key: 'device',
        title: t('device'),
        minWidth: 160,
        rank: 6,
        render: row =>
          row.deviceId ? (
            <Link to={`/manage/device/DeviceSet/DeviceCenter?id=${row.deviceId}`} dir="auto">
              {row.deviceName}
            </Link>
          ) : (
            '–'
          ),
        csv: row => row.deviceName ?? '',
      },
      {
        key: 'imsi',
        title: t('imsi'),
        width: 152,
        initiallyHidden: true,
        render: row => row.imsi ?? '–',
        csv: row => row.imsi ?? '',
      },
      {
        key: 'imei',
        title: t('imei'),
        width: 152,
        initiallyHidden: true,
        render: row => row.imei ?? '–',
        csv: row => row.imei ?? '',
      },
      {
        key: 'shown',
        title: t('shown'),
        width: 168,
        initiallyHidden: true,
        render: row => `${sizeText(row.shown.usedKb)} / ${sizeText(row.shown.planKb)}`,
        csv: row => row.shown.usedKb ?? '',
      },
      {
        key: 'sms',
        title: t('sms'),
        width: 120,
        initiallyHidden: true,
        render: row => (row.monthSms === null ? '–' : formatNumber(row.monthSms)),
        csv: row => row.monthSms ?? '',
      },
      {
        key: 'term',
        title: t('term'),
        width: 96,
        initiallyHidden: true,
        render: row => (row.term ? t(`terms.${row.term}`) : '–'),
      },
      {
        key: 'dataUntil',
        title: t('dataUntil'),
        width: 132,
        initiallyHidden: true,
        render: row => (row.dataUntil ? <TimeText value={row.dataUntil} /> : '–'),
        csv: row => (row.dataUntil ? formatDateTime(row.dataUntil) : ''),
      },
      { key: 'plan', title: t('plan'), width: 120, initiallyHidden: true, render: row => row.planName ?? '–' },
      { key: 'pool', title: t('pool'), width: 120, initiallyHidden: true, render: row => row.pool || '–' },
      { key: 'account', title: t('account'), width: 140, rank: 2, render: row => row.connectionName },
      {
        key: 'expiresAt',
        title: t('expires'),
        width: 132,
        rank: 1,
        sortKey: 'expiresAt',
        render: row => (row.expiresAt ? <TimeText value={row.expiresAt} /> : '–'),
        csv: row => (row.expiresAt ? formatDateTime(row.expiresAt) : ''),
      },
      {
        key: 'syncedAt',
        title: t('synced'),
        width: 132,
        rank: 3,
        sortKey: 'syncedAt',
        render: row => (row.syncedAt ? <TimeText value={row.syncedAt} /> : t('never')),
      },
    ],
    [t, show],
  )
  const rowActions = useCallback(
    (row: SimCardView): RowAction[] => [
      { key: 'open', label: t('open'), onClick: () => show(row.id) },
      ...(mayOperate
        ? DIRECT.filter(action => row.allowed.includes(action)).map(action => ({
            key: action,
            label: t(`actions.${action}`),
            danger: action === 'stop',
            onClick: () => setOpen({ kind: 'operate', cards: [row], action }),
          }))
        : []),
      ...(mayWrite ? [{ key: 'bind', label: t('bind'), onClick: () => setOpen({ kind: 'bind', card: row }) }] : []),
      ...(mayRemove
        ? [{ key: 'remove', label: t('remove'), danger: true, onClick: () => setOpen({ kind: 'remove', card: row }) }]
        : []),
    ],
    [t, show, mayOperate, mayWrite, mayRemove],
  )
  const batchActions = useMemo<BatchAction<SimCardView>[]>(
    () => [
      ...DIRECT.map(
        (action): BatchAction<SimCardView> => ({
          key: action,
          label: t(`actions.${action}`),
          danger: action === 'stop',
          of: 'simCards.operateMany',
          onClick: cards => setOpen({ kind: 'operate', cards, action }),
        }),
      ),
      {
        key: 'batch',
        label: t('batch.submit'),
        of: 'simCards.updateMany',
        onClick: cards => setOpen({ kind: 'batch', cards }),
      },
    ],
    [t],
  )
  const actions = (
    <Space wrap>
      <PermissionGate of="simCards.create">
        <Button icon={<PlusOutlined aria-hidden />} onClick={() => setOpen({ kind: 'add' })}>
          {t('add')}
        </Button>
      </PermissionGate>
      <PermissionGate of="simCards.import">
        <Button type="primary" icon={<UploadOutlined aria-hidden />} onClick={() => setOpen({ kind: 'import' })}>
          {t('import')}
        </Button>
      </PermissionGate>
    </Space>
  )
  const close = () => setOpen(null)
  const shown = params.get('card')
  const figures = counts.data
  return (
    <>
      <ListPage
        id={`sim-cards-${carrier}`}
        operation="simCards.list"
        about={carrier}
        fetchPage={fetchPage}
        rowKey={keyOf}
        rowHref={row => `${addressOf(carrier)}?card=${row.id}`}
        columns={columns}
        filters={filters}
        state={state}
        tabs={tabs}
        searchPlaceholder={t('search')}
        title={t(`title.${carrier}`)}
        description={
          figures && figures.total > 0
            ? t('summary', {
                total: formatNumber(figures.total),
                active: formatNumber(figures.states.active ?? 0),
                stopped: formatNumber(figures.states.stopped ?? 0),
                online: formatNumber(figures.online),
                used: sizeText(figures.monthKb),
              })
            : t('lead')
        }
        actions={actions}
        rowActions={rowActions}
        actionsWidth={locale() === 'en' ? 216 : 168}
        batchActions={batchActions}
        empty={{
          title: t('emptyTitle'),
          description: t(accounts.length === 0 ? 'emptyNoAccount' : 'emptyText'),
          action:
            accounts.length === 0 ? (
              <PermissionGate of="carriers.create">
                <Button type="primary" onClick={() => tabs.onChange('accounts')}>
                  {t('toAccounts')}
                </Button>
              </PermissionGate>
            ) : (
              actions
            ),
        }}
        exportName="sim-cards"
        exportPath={API_PATHS['simCards.export'][1]}
        exportFilters={given => ({ ...given, carrier })}
        refreshMs={() => REFRESH_MS}
      />
      <Suspense>
        {shown !== null && <CardDrawer id={shown} onClose={() => show(null)} />}
        {open?.kind === 'import' && <ImportDrawer carrier={carrier} onClose={close} />}
        {open?.kind === 'add' && <AddDrawer carrier={carrier} onClose={close} />}
        {open?.kind === 'operate' && <OperateDialog cards={open.cards} action={open.action} onClose={close} />}
        {open?.kind === 'batch' && <BatchDrawer cards={open.cards} onClose={close} />}
        {open?.kind === 'bind' && <BindDialog card={open.card} onClose={close} />}
        {open?.kind === 'remove' && <RemoveDialog card={open.card} onClose={close} />}
      </Suspense>
    </>
  )
}
