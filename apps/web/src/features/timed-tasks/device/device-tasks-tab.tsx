import { PlusOutlined } from '@ant-design/icons'
import type { TimedTaskView } from '@thingwright/contracts/timed-tasks.contract'
import { Button } from 'antd'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import type { DeviceTabProps } from '../../../lib/device-tabs.ts'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { usePages } from '../../../lib/server-state/use-pages.ts'
import { DataTable } from '../../../ui/list-page/data-table.tsx'
import type { ListColumn } from '../../../ui/list-page/list-types.ts'
import { NameCell } from '../../../ui/list-page/name-cell.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { PermissionGate } from '../../../ui/permission-gate.tsx'
import { EmptyState, ErrorState, NoPermissionState } from '../../../ui/states.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { newTaskAddress, taskAddress } from '../addresses.ts'
import { RUN_KIND, STATE_KIND } from '../lists.ts'
import { scheduleText } from '../schedule-text.ts'
import css from '../timed-tasks.module.css'

const PAGE = 50
const keyOf = (row: TimedTaskView) => row.id

/** Timed tasks that act on a device, by whatever scope or scene, and a way to add one for it. */
export function DeviceTasksTab({ deviceId }: DeviceTabProps) {
  const { t } = useTranslation('timed-tasks')
  const navigate = useNavigate()
  const allowed = useMay('timedTasks.list')
  const mayWrite = useMay('timedTasks.update')
  const query = usePages('timedTasks.list', { query: { deviceId, limit: PAGE } }, { enabled: allowed })
  const rows = query.data?.pages.flatMap(page => page.items) ?? []
  const { run: runNow } = useAct('timedTasks.run', {
    done: reply => notify.success(t('runBegun', { name: reply.name })),
  })
  const columns = useMemo<ListColumn<TimedTaskView>[]>(
    () => [
      {
        key: 'name',
        title: t('name'),
        minWidth: 184,
        required: true,
        render: row => <NameCell name={row.name} id={row.id} to={taskAddress(row.id)} />,
      },
      {
        key: 'state',
        title: t('state'),
        width: 112,
        render: row => (
          <StatusTag kind={STATE_KIND[row.state]} {...(row.fault ? { title: row.fault.message } : {})}>
            {t(`states.${row.state}`)}
          </StatusTag>
        ),
      },
      { key: 'schedule', title: t('schedule'), minWidth: 184, render: row => scheduleText(row.schedule, t) },
      {
        key: 'nextRunAt',
        title: t('nextRunAt'),
        width: 128,
        render: row => <TimeText value={row.nextRunAt} fallback="–" />,
      },
      {
        key: 'lastState',
        title: t('lastState'),
        width: 112,
        rank: 1,
        render: row =>
          row.lastState ? <StatusTag kind={RUN_KIND[row.lastState]}>{t(`runStates.${row.lastState}`)}</StatusTag> : '–',
      },
    ],
    [t],
  )
  if (!allowed) return <NoPermissionState of="timedTasks.list" />
  const create = (
    <PermissionGate of="timedTasks.create">
      <Button icon={<PlusOutlined aria-hidden />} onClick={() => void navigate(newTaskAddress(deviceId))}>
        {t('add')}
      </Button>
    </PermissionGate>
  )
  return (
    <Panel title={t('title')} hint={t('deviceHint')} actions={create} flush>
      {query.isError && !query.data ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : !query.isPending && rows.length === 0 ? (
        <EmptyState title={t('noneOfDevice')} description={t('emptyText')} />
      ) : (
        <DataTable
          label={t('title')}
          columns={columns}
          rows={rows}
          rowKey={keyOf}
          actions={row =>
            mayWrite
              ? [
                  { key: 'edit', label: t('edit'), to: taskAddress(row.id) },
                  row.kind === 'pair'
                    ? {
                        key: 'on',
                        label: t('runOn'),
                        onClick: () => void runNow({ params: { id: row.id }, body: { edge: 'on' } }),
                      }
                    : {
                        key: 'run',
                        label: t('runNow'),
                        onClick: () => void runNow({ params: { id: row.id }, body: {} }),
                      },
                ]
              : []
          }
          skeleton={query.isPending ? 4 : 0}
        />
      )}
      {query.hasNextPage && (
        <div className={css.foot}>
          <Button loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            {t('loadMore')}
          </Button>
        </div>
      )}
    </Panel>
  )
}
