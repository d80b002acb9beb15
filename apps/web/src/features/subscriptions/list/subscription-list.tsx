import { PlusOutlined } from '@ant-design/icons'
import type { SubscriptionView } from '@thingwright/contracts/subscriptions.contract'
import { Button } from 'antd'
import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { call } from '../../../lib/api-client.ts'
import { formatDateTime, formatNumber } from '../../../lib/format.ts'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useCache } from '../../../lib/server-state/cache.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import type { BatchJob } from '../../../ui/list-page/batch-drawer.tsx'
import { ListPage } from '../../../ui/list-page/list-page.tsx'
import type { BatchAction, ListColumn, ListFilter, RowAction } from '../../../ui/list-page/list-types.ts'
import { NameCell } from '../../../ui/list-page/name-cell.tsx'
import { useListState } from '../../../ui/list-page/use-list-state.ts'
import { PermissionGate } from '../../../ui/permission-gate.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { editAddress, NEW, subscriptionAddress } from '../addresses.ts'
import { fetchSubscriptions, LIST_EVERY, useSubscriptionChanged } from '../hooks.ts'
import { STATES, TARGETS } from '../lists.ts'
import css from '../subscriptions.module.css'
import { lagText, reasonText, statusOf, targetText } from '../words.ts'

const BatchDrawer = lazy(async () => ({
  default: (await import('../../../ui/list-page/batch-drawer.tsx')).BatchDrawer,
}))
const ActionDialogs = lazy(async () => ({ default: (await import('../detail/action-dialogs.tsx')).ActionDialogs }))

const keyOf = (row: SubscriptionView) => row.id
const hrefOf = (row: SubscriptionView) => subscriptionAddress(row.id)

const everySoOften = () => LIST_EVERY

type Asked = 'test' | 'pause' | 'remove' | 'replay' | 'rotate'

/** Every subscription with what it does now. */
export function SubscriptionList() {
  const { t } = useTranslation('subscriptions')
  const navigate = useNavigate()
  const mayWrite = useMay('subscriptions.update')
  const changed = useSubscriptionChanged()
  const cache = useCache()
  const { run: resume } = useAct('subscriptions.resume', {
    done: reply => {
      changed(reply)
      notify.success(t('resumed', { name: reply.name }))
    },
  })
  const [asked, setAsked] = useState<{ what: Asked; of: SubscriptionView } | null>(null)
  const [job, setJob] = useState<BatchJob<SubscriptionView> | null>(null)
  const filters = useMemo<ListFilter[]>(
    () => [
      {
        key: 'state',
        label: t('state'),
        options: STATES.map(value => ({ value, label: t(`states.${value}`) })),
      },
      {
        key: 'target',
        label: t('target'),
        options: TARGETS.map(value => ({ value, label: t(`targets.${value}`) })),
      },
    ],
    [t],
  )
  const state = useListState(filters)
  const columns = useMemo<ListColumn<SubscriptionView>[]>(
    () => [
      {
        key: 'name',
        title: t('name'),
        minWidth: 176,
        required: true,
        render: row => <NameCell name={row.name} id={row.id} to={hrefOf(row)} />,
        csv: row => row.name,
      },
      {
        key: 'state',
        title: t('state'),
        width: 184,
        render: row => {
          const { key, kind } = statusOf(row)
          const why = reasonText(row.lastError, t)
          return (
            <StatusTag kind={kind} {...(row.failures > 0 && why ? { title: why } : {})}>
              {t(`status.${key}`)}
            </StatusTag>
          )
        },
        csv: row => t(`status.${statusOf(row).key}`),
      },
      {
        key: 'kinds',
        title: t('kinds'),
        width: 168,
        initiallyHidden: true,
        render: row => {
          const words = row.kinds.map(kind => t(`kind.${kind}`)).join(t('comma'))
          return <span title={words}>{words}</span>
        },
        csv: row => row.kinds.join(' '),
      },
      {
        key: 'backlog',
        title: t('backlog'),
        width: 88,
        rank: 3,
        align: 'right',
        render: row => (
          <span className={row.backlog > row.backlogCap * 0.8 ? css.alarming : undefined}>
            {formatNumber(row.backlog)}
          </span>
        ),
        csv: row => row.backlog,
      },
      {
        key: 'lag',
        title: t('lag'),
        width: 104,
        rank: 1,
        align: 'right',
        render: row => <span title={t('lagHelp')}>{lagText(row.lagMs)}</span>,
        csv: row => Math.round(row.lagMs / 1000),
      },
      {
        key: 'target',
        title: t('target'),
        minWidth: 200,
        rank: 2,
        render: row => (
          <span className={css.twoLines}>
            <span>{t(`targets.${row.target.kind}`)}</span>
            <code title={targetText(row.target)} dir="ltr">
              {targetText(row.target) || '–'}
            </code>
          </span>
        ),
        csv: row => `${row.target.kind} ${targetText(row.target)}`.trim(),
      },
      {
        key: 'deadLetters',
        title: t('deadLetters'),
        width: 116,
        rank: 4,
        align: 'right',
        render: row => (
          <span className={row.deadLetters > 0 ? css.alarming : undefined}>{formatNumber(row.deadLetters)}</span>
        ),
        csv: row => row.deadLetters,
      },
      {
        key: 'delivered',
        title: t('delivered'),
        width: 104,
        align: 'right',
        initiallyHidden: true,
        render: row => formatNumber(row.delivered),
        csv: row => row.delivered,
      },
      {
        key: 'last',
        title: t('lastDelivered'),
        width: 120,
        render: row => <TimeText value={row.lastDeliveredAt} />,
        csv: row => (row.lastDeliveredAt ? formatDateTime(row.lastDeliveredAt) : ''),
      },
      {
        key: 'createdAt',
        title: t('createdAt'),
        width: 120,
        initiallyHidden: true,
        render: row => <TimeText value={row.createdAt} />,
        csv: row => formatDateTime(row.createdAt),
      },
    ],
    [t],
  )
  const rowActions = useCallback(
    (row: SubscriptionView): RowAction[] => {
      const ask = (what: Asked) => () => setAsked({ what, of: row })
      if (!mayWrite) return [{ key: 'open', label: t('open'), to: hrefOf(row) }]
      return [
        // Whoever reads by himself gets nothing sent.
        ...(row.target.kind === 'pull' ? [] : [{ key: 'test', label: t('test'), onClick: ask('test') }]),
        row.state === 'paused'
          ? { key: 'resume', label: t('resume'), onClick: () => void resume({ params: { id: row.id } }) }
          : { key: 'pause', label: t('pause'), onClick: ask('pause') },
        { key: 'edit', label: t('edit'), to: editAddress(row.id) },
        { key: 'log', label: t('tabs.log'), to: subscriptionAddress(row.id, 'log') },
        { key: 'dead', label: t('tabs.dead'), to: subscriptionAddress(row.id, 'dead') },
        ...(row.replayFrom === null ? [] : [{ key: 'replay', label: t('replay'), onClick: ask('replay') }]),
        { key: 'remove', label: t('remove'), danger: true, onClick: ask('remove') },
      ]
    },
    [t, mayWrite, resume],
  )
  const batchActions = useMemo<BatchAction<SubscriptionView>[]>(
    () => [
      {
        key: 'pause',
        label: t('pause'),
        of: 'subscriptions.update',
        onClick: rows =>
          setJob({ title: t('pause'), rows, work: row => call('subscriptions.pause', { params: { id: row.id } }) }),
      },
      {
        key: 'resume',
        label: t('resume'),
        of: 'subscriptions.update',
        onClick: rows =>
          setJob({ title: t('resume'), rows, work: row => call('subscriptions.resume', { params: { id: row.id } }) }),
      },
    ],
    [t],
  )
  const create = (
    <PermissionGate of="subscriptions.update">
      <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => void navigate(NEW)}>
        {t('add')}
      </Button>
    </PermissionGate>
  )
  return (
    <>
      <ListPage
        id="subscriptions"
        operation="subscriptions.list"
        fetchPage={fetchSubscriptions}
        rowKey={keyOf}
        rowHref={hrefOf}
        columns={columns}
        filters={filters}
        state={state}
        refreshMs={everySoOften}
        searchPlaceholder={t('search')}
        title={t('title')}
        description={t('lead')}
        actions={create}
        rowActions={rowActions}
        batchActions={batchActions}
        empty={{
          title: t('emptyTitle'),
          description: t('emptyText'),
          action: create,
          docHref: '/alonePage/ApiInterfaceOpen',
        }}
        exportName="subscriptions"
      />
      <Suspense>
        {asked && <ActionDialogs what={asked.what} view={asked.of} onClose={() => setAsked(null)} />}
        {job && (
          <BatchDrawer
            job={job as BatchJob<unknown>}
            rowKey={row => keyOf(row as SubscriptionView)}
            name={row => (row as SubscriptionView).name}
            onChanged={() => {
              void cache.touch('subscriptions')
            }}
            onClose={() => setJob(null)}
          />
        )}
      </Suspense>
    </>
  )
}
