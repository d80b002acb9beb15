import type { AlarmView } from '@thingwright/contracts/alarms.contract'
import { ALARM_WORK } from '@thingwright/contracts/alarms.words'
import { API_PATHS } from '@thingwright/contracts/api-paths'
import { lazy, type ReactNode, Suspense, useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { locale } from '../../../lib/i18n.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useAlarmLevels } from '../../../ui/alarm-levels.ts'
import { ListPage } from '../../../ui/list-page/list-page.tsx'
import type { BatchAction, ListFilter, RowAction } from '../../../ui/list-page/list-types.ts'
import { useListState } from '../../../ui/list-page/use-list-state.ts'
import { useNow } from '../../../ui/ticker.ts'
import { useUserFilter } from '../../../ui/user-filter.ts'
import { deviceAddress, triggerAddress } from '../addresses.ts'
import type { AlarmAsk } from '../drawer/action-dialog.tsx'
import { fetchAlarms } from '../hooks.ts'
import { useAcknowledge } from '../use-acknowledge.ts'
import { useAlarmParam } from '../use-alarm-param.ts'
import { actionsOf } from '../words.ts'
import { alarmColumns } from './alarm-columns.tsx'

const ActionDialog = lazy(async () => ({ default: (await import('../drawer/action-dialog.tsx')).ActionDialog }))

const keyOf = (row: AlarmView) => row.id
const BATCH = ['ack', 'assign', 'handle', 'clear', 'ignore', 'shelve'] as const

/** Alarms that are active, or those that are over. */
export function AlarmList({
  ended,
  head,
  summary,
  tabs,
}: {
  ended: boolean
  head: { title: string; description: ReactNode; actions: ReactNode }
  summary?: ReactNode
  tabs: { items: { key: string; label: ReactNode }[]; active: string; onChange: (key: string) => void }
}) {
  const { t } = useTranslation('alarms')
  const levels = useAlarmLevels()
  const now = useNow()
  const [params] = useSearchParams()
  const { hrefOf } = useAlarmParam()
  const mayHandle = useMay('alarms.handle')
  const mayAck = useMay('alarms.ack')
  const acknowledge = useAcknowledge()
  const [asking, setAsking] = useState<AlarmAsk | null>(null)
  const owner = useUserFilter()
  const filters = useMemo<ListFilter[]>(
    () => [
      {
        key: 'level',
        label: t('level'),
        options: levels.map(each => ({ value: String(each.level), label: each.name })),
      },
      {
        key: 'acknowledged',
        label: t('ackState'),
        options: [
          { value: '0', label: t('unacknowledged') },
          { value: '1', label: t('acknowledged') },
        ],
      },
      { key: 'work', label: t('workState'), options: ALARM_WORK.map(value => ({ value, label: t(`work.${value}`) })) },
      ...owner,
      { key: 'mine', label: t('assignee'), options: [{ value: '1', label: t('mine') }] },
      {
        key: 'shelved',
        label: t('shelvedShort'),
        options: [
          { value: '1', label: t('shelvedOnly') },
          { value: '0', label: t('shelvedNot') },
        ],
      },
      { key: 'suppressed', label: t('suppressed'), options: [{ value: '1', label: t('suppressedOnly') }] },
      { key: 'deviceId', label: t('device'), open: true, chipOnly: true, display: () => t('oneDevice') },
      { key: 'productId', label: t('product'), open: true, chipOnly: true, display: () => t('oneProduct') },
      { key: 'stormId', label: t('storm'), open: true, chipOnly: true, display: () => t('oneStorm') },
      { key: 'triggerId', label: t('trigger'), open: true, chipOnly: true, display: () => t('oneTrigger') },
    ],
    [t, levels, owner],
  )
  const state = useListState(filters)
  const fetchPage = useMemo(() => fetchAlarms({ active: ended ? '0' : '1' }), [ended])
  const columns = useMemo(() => alarmColumns(t, levels, hrefOf, now), [t, levels, hrefOf, now])
  const rowActions = useCallback(
    (row: AlarmView): RowAction[] => {
      const can = actionsOf(row)
      const ask = (action: AlarmAsk['action']) => () =>
        setAsking({ action, ids: [row.id], count: 1, name: row.triggerName })
      return [
        ...(mayAck && can.ack ? [{ key: 'ack', label: t('act.ack'), onClick: () => acknowledge([row.id]) }] : []),
        { key: 'open', label: t('open'), to: hrefOf(row) },
        ...(mayHandle
          ? [
              ...(can.handle ? [{ key: 'handle', label: t('act.handle'), onClick: ask('handle') }] : []),
              ...(can.assign ? [{ key: 'assign', label: t('act.assign'), onClick: ask('assign') }] : []),
              ...(can.shelve ? [{ key: 'shelve', label: t('act.shelve'), onClick: ask('shelve') }] : []),
              ...(can.unshelve ? [{ key: 'unshelve', label: t('act.unshelve'), onClick: ask('unshelve') }] : []),
              ...(can.ignore ? [{ key: 'ignore', label: t('act.ignore'), onClick: ask('ignore') }] : []),
              ...(can.clear ? [{ key: 'clear', label: t('act.clear'), danger: true, onClick: ask('clear') }] : []),
            ]
          : []),
        ...(row.deviceId ? [{ key: 'device', label: t('openDevice'), to: deviceAddress(row.deviceId) }] : []),
        ...(row.triggerId ? [{ key: 'trigger', label: t('openTrigger'), to: triggerAddress(row.triggerId) }] : []),
      ]
    },
    [t, mayAck, mayHandle, hrefOf, acknowledge],
  )
  const batchActions = useMemo<BatchAction<AlarmView>[]>(
    () =>
      BATCH.filter(action => !ended || (action !== 'clear' && action !== 'shelve')).map(action => ({
        key: action,
        label: t(`act.${action}`),
        danger: action === 'clear',
        of: action === 'ack' ? 'alarms.ack' : 'alarms.handle',
        onClick: rows =>
          action === 'ack'
            ? acknowledge(rows.map(keyOf))
            : setAsking({ action, ids: rows.map(keyOf), count: rows.length }),
      })),
    [t, ended, acknowledge],
  )
  const ofDevice = params.get('deviceId')
  return (
    <>
      <ListPage
        id={ended ? 'alarms-ended' : 'alarms'}
        operation="alarms.list"
        about={ended ? 'ended' : 'active'}
        fetchPage={fetchPage}
        rowKey={keyOf}
        rowHref={hrefOf}
        columns={columns}
        filters={filters}
        state={state}
        searchPlaceholder={t('search')}
        {...head}
        summary={summary}
        tabs={tabs}
        rowActions={rowActions}
        actionsWidth={locale() === 'en' ? 208 : 152}
        batchActions={batchActions}
        empty={{
          title: t(ended ? 'noEnded' : 'noActive'),
          description: t(ended ? 'noEndedText' : ofDevice ? 'noActiveDevice' : 'noActiveText'),
        }}
        exportName="alarms"
        exportPath={API_PATHS['alarms.export'][1]}
        exportFilters={chosen => ({ ...chosen, active: ended ? '0' : '1' })}
      />
      <Suspense>{asking && <ActionDialog ask={asking} onClose={() => setAsking(null)} />}</Suspense>
    </>
  )
}
