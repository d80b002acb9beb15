import { PlusOutlined } from '@ant-design/icons'
import { API_PATHS } from '@thingwright/contracts/api-paths'
import type { TimedTaskView } from '@thingwright/contracts/timed-tasks.contract'
import { TRIGGER_BATCH_ACTIONS } from '@thingwright/contracts/triggers.words'
import { Button, Switch } from 'antd'
import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { formatDateTime } from '../../../lib/format.ts'
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
import { StatusTag } from '../../../ui/status-tag.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { useUserFilter } from '../../../ui/user-filter.ts'
import { newTaskAddress, taskAddress } from '../addresses.ts'
import { fetchTasks, type Tabs } from '../hooks.ts'
import { KINDS, RUN_KIND, STATE_KIND, STATES } from '../lists.ts'
import { scheduleText } from '../schedule-text.ts'
import { stepText } from '../step-text.ts'
import type { TaskAsk } from './task-dialog.tsx'

const TaskDialog = lazy(async () => ({ default: (await import('./task-dialog.tsx')).TaskDialog }))

const keyOf = (row: TimedTaskView) => row.id
const hrefOf = (row: TimedTaskView) => taskAddress(row.id)

/** Every timed task: when it runs, what it does, when it ran last and what came of it. */
export function TaskList({ tabs }: { tabs: Tabs }) {
  const { t } = useTranslation('timed-tasks')
  const navigate = useNavigate()
  const mayWrite = useMay('timedTasks.update')
  const { run: enable } = useAct('timedTasks.enable', {
    done: reply => notify.success(t('enabledDone', { name: reply.name })),
  })
  const { run: runNow } = useAct('timedTasks.run', {
    done: reply => notify.success(t('runBegun', { name: reply.name })),
  })
  const [asking, setAsking] = useState<TaskAsk | null>(null)
  const owner = useUserFilter()
  const filters = useMemo<ListFilter[]>(
    () => [
      ...owner,
      { key: 'state', label: t('state'), options: STATES.map(value => ({ value, label: t(`states.${value}`) })) },
      { key: 'kind', label: t('kind'), options: KINDS.map(value => ({ value, label: t(`kinds.${value}`) })) },
      { key: 'deviceId', label: t('device'), open: true, chipOnly: true, display: () => t('oneDevice') },
      { key: 'sceneId', label: t('scene'), open: true, chipOnly: true, display: () => t('oneScene') },
    ],
    [t, owner],
  )
  const state = useListState(filters)
  const columns = useMemo<ListColumn<TimedTaskView>[]>(() => {
    const stepsOf = (row: TimedTaskView) =>
      [...row.actions, ...row.offActions].map(action => stepText(action, row.names, t)).join(t('semicolon'))
    return [
      {
        key: 'name',
        title: t('name'),
        minWidth: 160,
        required: true,
        sortKey: 'name',
        render: row => <NameCell name={row.name} id={row.id} to={taskAddress(row.id)} />,
        csv: row => row.name,
      },
      {
        key: 'state',
        title: t('state'),
        width: 136,
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
                    ? void enable({ params: { id: row.id } })
                    : setAsking({ action: 'disable', ids: [row.id], name: row.name })
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
        key: 'schedule',
        title: t('schedule'),
        minWidth: 152,
        render: row => {
          const text = scheduleText(row.schedule, t)
          return <span title={`${text} · ${row.schedule.zone ?? ''}`}>{text}</span>
        },
        csv: row => scheduleText(row.schedule, t),
      },
      {
        key: 'steps',
        title: t('steps'),
        minWidth: 200,
        rank: 2,
        render: row => (
          <span title={stepsOf(row)} dir="auto">
            {stepsOf(row)}
          </span>
        ),
        csv: stepsOf,
      },
      {
        key: 'nextRunAt',
        title: t('nextRunAt'),
        width: 128,
        sortKey: 'nextRunAt',
        render: row => <TimeText value={row.nextRunAt} fallback="–" />,
        csv: row => (row.nextRunAt ? formatDateTime(row.nextRunAt) : ''),
      },
      {
        key: 'lastRunAt',
        title: t('lastRunAt'),
        width: 128,
        rank: 4,
        sortKey: 'lastRunAt',
        render: row => <TimeText value={row.lastRunAt} fallback={t('never')} />,
        csv: row => (row.lastRunAt ? formatDateTime(row.lastRunAt) : ''),
      },
      {
        key: 'lastState',
        title: t('lastState'),
        width: 112,
        rank: 3,
        render: row =>
          row.lastState ? <StatusTag kind={RUN_KIND[row.lastState]}>{t(`runStates.${row.lastState}`)}</StatusTag> : '–',
        csv: row => (row.lastState ? t(`runStates.${row.lastState}`) : ''),
      },
      {
        key: 'owner',
        title: t('owner'),
        width: 112,
        rank: 1,
        render: row => personName(row.ownerName),
        csv: row => personName(row.ownerName, ''),
      },
      {
        key: 'createdAt',
        title: t('createdAt'),
        width: 128,
        sortKey: 'createdAt',
        initiallyHidden: true,
        render: row => <TimeText value={row.createdAt} />,
        csv: row => formatDateTime(row.createdAt),
      },
    ]
  }, [t, mayWrite, enable])
  const rowActions = useCallback(
    (row: TimedTaskView): RowAction[] => {
      if (!mayWrite) return []
      const run = (edge?: 'on' | 'off') => () =>
        void runNow({ params: { id: row.id }, body: edge === undefined ? {} : { edge } })
      return [
        { key: 'edit', label: t('edit'), to: taskAddress(row.id) },
        ...(row.kind === 'pair'
          ? [
              { key: 'on', label: t('runOn'), onClick: run('on') },
              { key: 'off', label: t('runOff'), onClick: run('off') },
            ]
          : [{ key: 'run', label: t('runNow'), onClick: run() }]),
        ...(row.state === 'error' || row.state === 'ended'
          ? [{ key: 'enable', label: t('enableAgain'), onClick: () => void enable({ params: { id: row.id } }) }]
          : []),
        { key: 'copy', label: t('copy'), to: `${newTaskAddress()}&from=${row.id}` },
        {
          key: 'remove',
          label: t('remove'),
          danger: true,
          onClick: () => setAsking({ action: 'remove', ids: [row.id], name: row.name }),
        },
      ]
    },
    [t, mayWrite, runNow, enable],
  )
  const batchActions = useMemo<BatchAction<TimedTaskView>[]>(
    () =>
      TRIGGER_BATCH_ACTIONS.map(action => ({
        key: action,
        label: t(`batch.${action}`),
        danger: action === 'remove',
        of: 'timedTasks.batch',
        onClick: rows => setAsking({ action, ids: rows.map(keyOf) }),
      })),
    [t],
  )
  const create = (
    <PermissionGate of="timedTasks.create">
      <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => void navigate(newTaskAddress())}>
        {t('add')}
      </Button>
    </PermissionGate>
  )
  return (
    <>
      <ListPage
        id="timed-tasks"
        operation="timedTasks.list"
        fetchPage={fetchTasks}
        rowKey={keyOf}
        columns={columns}
        filters={filters}
        state={state}
        searchPlaceholder={t('search')}
        title={t('title')}
        description={t('lead')}
        tabs={tabs}
        rowHref={hrefOf}
        actions={create}
        rowActions={rowActions}
        actionsWidth={locale() === 'en' ? 184 : 168}
        batchActions={batchActions}
        empty={{ title: t('emptyTitle'), description: t('emptyText'), action: create }}
        exportName="timed-tasks"
        exportPath={API_PATHS['timedTasks.export'][1]}
      />
      <Suspense>{asking && <TaskDialog ask={asking} onClose={() => setAsking(null)} />}</Suspense>
    </>
  )
}
