import { PlusOutlined } from '@ant-design/icons'
import type { TriggerView } from '@thingwright/contracts/triggers.contract'
import { TRIGGER_BATCH_ACTIONS } from '@thingwright/contracts/triggers.words'
import { Button, Switch } from 'antd'
import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import { formatDateTime, formatNumber } from '../../../lib/format.ts'
import { locale } from '../../../lib/i18n.ts'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { personName } from '../../../lib/person-name.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { ListPage } from '../../../ui/list-page/list-page.tsx'
import type { BatchAction, ListColumn, ListFilter, RowAction } from '../../../ui/list-page/list-types.ts'
import { NameCell } from '../../../ui/list-page/name-cell.tsx'
import { useListState } from '../../../ui/list-page/use-list-state.ts'
import { PermissionGate } from '../../../ui/permission-gate.tsx'
import { AlarmTag, StatusTag } from '../../../ui/status-tag.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { useUserFilter } from '../../../ui/user-filter.ts'
import { alarmsOfTrigger, editAddress, newAddress, triggerAddress } from '../addresses.ts'
import { fetchTriggers, useTriggerChanged } from '../hooks.ts'
import { KINDS, STATE_KIND, STATES } from '../lists.ts'
import { ScopeText } from '../scope-text.tsx'
import { sentenceOf } from '../sentence.ts'
import type { TriggerAsk } from './trigger-dialog.tsx'

const TriggerDialog = lazy(async () => ({ default: (await import('./trigger-dialog.tsx')).TriggerDialog }))

const KeepPresetDialog = lazy(async () => ({ default: (await import('./preset-dialog.tsx')).KeepPresetDialog }))

const keyOf = (row: TriggerView) => row.id
const hrefOf = (row: TriggerView) => triggerAddress(row.id)
const asIs = (identifier: string) => identifier

/** Every trigger: what it watches for, over which devices, whether it is judged, and its open alarms. */
export function TriggerList() {
  const { t } = useTranslation('triggers')
  const navigate = useNavigate()
  const mayWrite = useMay('triggers.update')
  const changed = useTriggerChanged()
  const enable = useAct('triggers.enable', {
    touches: ['alarms'],
    done: reply => {
      changed(reply)
      notify.success(t('enabledDone', { name: reply.name }))
    },
  })
  const { run: runEnable } = enable
  const [asking, setAsking] = useState<TriggerAsk | null>(null)
  const [kept, setKept] = useState<string[] | null>(null)
  const owner = useUserFilter()
  const filters = useMemo<ListFilter[]>(
    () => [
      ...owner,
      { key: 'state', label: t('state'), options: STATES.map(value => ({ value, label: t(`states.${value}`) })) },
      { key: 'kind', label: t('kind'), options: KINDS.map(value => ({ value, label: t(`kinds.${value}`) })) },
      { key: 'deviceId', label: t('device'), open: true, chipOnly: true, display: () => t('oneDevice') },
      { key: 'productId', label: t('product'), open: true, chipOnly: true, display: () => t('oneProduct') },
    ],
    [t, owner],
  )
  const state = useListState(filters)
  const columns = useMemo<ListColumn<TriggerView>[]>(
    () => [
      {
        key: 'name',
        title: t('name'),
        minWidth: 216,
        required: true,
        sortKey: 'name',
        render: row => <NameCell name={row.name} id={row.id} to={hrefOf(row)} />,
        csv: row => row.name,
      },
      {
        key: 'state',
        title: t('state'),
        width: 144,
        required: true,
        render: row =>
          mayWrite && (row.state === 'enabled' || row.state === 'disabled') ? (
            <span>
              <Switch
                size="small"
                checked={row.state === 'enabled'}
                aria-label={t('enabledOf', { name: row.name })}
                onChange={on =>
                  on
                    ? void runEnable({ params: { id: row.id } })
                    : setAsking({ action: 'disable', ids: [row.id], count: 1, name: row.name })
                }
              />{' '}
              {t(`states.${row.state}`)}
            </span>
          ) : (
            <StatusTag kind={STATE_KIND[row.state]} {...(row.fault ? { title: row.fault.message } : {})}>
              {t(`states.${row.state}`)}
            </StatusTag>
          ),
        csv: row => t(`states.${row.state}`),
      },
      {
        key: 'condition',
        title: t('condition'),
        minWidth: 200,
        rank: 4,
        render: row => {
          const text = sentenceOf(row, t, asIs)
          return (
            <span title={text} dir="auto">
              {text}
            </span>
          )
        },
        csv: row => sentenceOf(row, t, asIs),
      },
      {
        key: 'scope',
        title: t('scope'),
        minWidth: 160,
        rank: 3,
        render: row => <ScopeText view={row} />,
        csv: row => row.scopeNames.filter(Boolean).join(' '),
      },
      {
        key: 'level',
        title: t('level'),
        width: 96,
        rank: 2,
        render: row => (row.alarm ? <AlarmTag level={row.alarm.level} /> : '–'),
        csv: row => row.alarm?.level ?? '',
      },
      {
        key: 'open',
        title: t('openAlarms'),
        width: 96,
        align: 'right',
        rank: 1,
        render: row =>
          row.openAlarms > 0 ? <Link to={alarmsOfTrigger(row.id)}>{formatNumber(row.openAlarms)}</Link> : '0',
        csv: row => row.openAlarms,
      },
      {
        key: 'lastRunAt',
        title: t('lastRunAt'),
        width: 120,
        sortKey: 'lastRunAt',
        render: row => <TimeText value={row.lastRunAt} fallback={t('never')} />,
        csv: row => (row.lastRunAt ? formatDateTime(row.lastRunAt) : ''),
      },
      {
        key: 'owner',
        title: t('owner'),
        width: 112,
        initiallyHidden: true,
        render: row => personName(row.ownerName),
        csv: row => personName(row.ownerName, ''),
      },
      {
        key: 'createdAt',
        title: t('createdAt'),
        width: 120,
        sortKey: 'createdAt',
        initiallyHidden: true,
        render: row => <TimeText value={row.createdAt} />,
        csv: row => formatDateTime(row.createdAt),
      },
    ],
    [t, mayWrite, runEnable],
  )
  const rowActions = useCallback(
    (row: TriggerView): RowAction[] => {
      if (!mayWrite) return [{ key: 'open', label: t('open'), to: hrefOf(row) }]
      return [
        { key: 'edit', label: t('edit'), to: editAddress(row.id) },
        { key: 'runs', label: t('tab.runs'), to: triggerAddress(row.id, 'runs') },
        ...(row.state === 'paused' || row.state === 'error'
          ? [{ key: 'enable', label: t('enableAgain'), onClick: () => void runEnable({ params: { id: row.id } }) }]
          : []),
        { key: 'alarms', label: t('showAlarms'), to: alarmsOfTrigger(row.id) },
        { key: 'copy', label: t('copy'), to: `${newAddress()}&from=${row.id}` },
        {
          key: 'remove',
          label: t('remove'),
          danger: true,
          onClick: () => setAsking({ action: 'remove', ids: [row.id], count: 1, name: row.name }),
        },
      ]
    },
    [t, mayWrite, runEnable],
  )
  const batchActions = useMemo<BatchAction<TriggerView>[]>(
    () => [
      ...TRIGGER_BATCH_ACTIONS.map(
        (action): BatchAction<TriggerView> => ({
          key: action,
          label: t(`batch.${action}`),
          danger: action === 'remove',
          of: 'triggers.batch',
          onClick: rows => setAsking({ action, ids: rows.map(keyOf), count: rows.length }),
        }),
      ),
      {
        key: 'preset',
        label: t('batch.preset'),
        of: 'triggerPresets.create',
        onClick: rows => setKept(rows.map(keyOf)),
      },
    ],
    [t],
  )
  const create = (
    <PermissionGate of="triggers.create">
      <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => void navigate(newAddress())}>
        {t('add')}
      </Button>
    </PermissionGate>
  )
  return (
    <>
      <ListPage
        id="triggers"
        operation="triggers.list"
        fetchPage={fetchTriggers}
        rowKey={keyOf}
        rowHref={hrefOf}
        columns={columns}
        filters={filters}
        state={state}
        searchPlaceholder={t('search')}
        title={t('title')}
        description={t('lead')}
        actions={create}
        rowActions={rowActions}
        actionsWidth={locale() === 'en' ? 184 : 176}
        batchActions={batchActions}
        empty={{ title: t('emptyTitle'), description: t('emptyText'), action: create }}
        exportName="triggers"
      />
      <Suspense>{kept && <KeepPresetDialog ids={kept} onClose={() => setKept(null)} />}</Suspense>
      <Suspense>{asking && <TriggerDialog ask={asking} onClose={() => setAsking(null)} />}</Suspense>
    </>
  )
}
