import { PlusOutlined } from '@ant-design/icons'
import type { SceneView } from '@thingwright/contracts/timed-tasks.contract'
import { Button, Modal } from 'antd'
import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useSearchParams } from 'react-router'
import { formatNumber } from '../../../lib/format.ts'
import { locale } from '../../../lib/i18n.ts'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { personName } from '../../../lib/person-name.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { ListPage } from '../../../ui/list-page/list-page.tsx'
import type { ListColumn, RowAction } from '../../../ui/list-page/list-types.ts'
import { useListState } from '../../../ui/list-page/use-list-state.ts'
import { PermissionGate } from '../../../ui/permission-gate.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { useUserFilter } from '../../../ui/user-filter.ts'
import { TIMED_TASKS } from '../addresses.ts'
import { fetchScenes, type Tabs } from '../hooks.ts'
import { RUN_KIND } from '../lists.ts'
import { stepText } from '../step-text.ts'

const SceneDrawer = lazy(async () => ({ default: (await import('./scene-drawer.tsx')).SceneDrawer }))

const keyOf = (row: SceneView) => row.id

/** Commands and delays under one name, to be run by hand, by a task or by a trigger. */
export function SceneList({ tabs }: { tabs: Tabs }) {
  const { t } = useTranslation('timed-tasks')
  const mayWrite = useMay('scenes.update')
  const [params] = useSearchParams()
  const { run: runNow } = useAct('scenes.run', {
    touches: ['timedTasks'],
    done: reply => notify.success(t('runBegun', { name: reply.name })),
  })
  const { run: remove } = useAct('scenes.remove', { done: () => notify.success(t('sceneRemoved')) })
  const [editing, setEditing] = useState<SceneView | 'new' | null>(null)
  const [removing, setRemoving] = useState<SceneView | null>(null)
  const owner = useUserFilter()
  const filters = useMemo(() => [...owner], [owner])
  const state = useListState(filters)
  const columns = useMemo<ListColumn<SceneView>[]>(() => {
    const stepsOf = (row: SceneView) => row.actions.map(action => stepText(action, row.names, t)).join(t('semicolon'))
    return [
      {
        key: 'name',
        title: t('name'),
        minWidth: 176,
        required: true,
        sortKey: 'name',
        render: row => row.name,
        csv: row => row.name,
      },
      {
        key: 'steps',
        title: t('steps'),
        minWidth: 240,
        render: row => (
          <span title={stepsOf(row)} dir="auto">
            {stepsOf(row)}
          </span>
        ),
        csv: stepsOf,
      },
      {
        key: 'tasks',
        title: t('usedBy'),
        width: 112,
        align: 'right',
        rank: 2,
        render: row =>
          row.tasks > 0 ? <Link to={`${TIMED_TASKS}?sceneId=${row.id}`}>{formatNumber(row.tasks)}</Link> : '0',
        csv: row => row.tasks,
      },
      {
        key: 'lastRunAt',
        title: t('lastRunAt'),
        width: 128,
        rank: 3,
        sortKey: 'lastRunAt',
        render: row => <TimeText value={row.lastRunAt} fallback={t('never')} />,
      },
      {
        key: 'lastState',
        title: t('lastState'),
        width: 112,
        render: row =>
          row.lastState ? <StatusTag kind={RUN_KIND[row.lastState]}>{t(`runStates.${row.lastState}`)}</StatusTag> : '–',
      },
      { key: 'owner', title: t('owner'), width: 112, rank: 1, render: row => personName(row.ownerName) || '–' },
    ]
  }, [t])
  const rowActions = useCallback(
    (row: SceneView): RowAction[] =>
      mayWrite
        ? [
            { key: 'run', label: t('runNow'), onClick: () => void runNow({ params: { id: row.id } }) },
            { key: 'edit', label: t('edit'), onClick: () => setEditing(row) },
            { key: 'remove', label: t('remove'), danger: true, onClick: () => setRemoving(row) },
          ]
        : [],
    [t, mayWrite, runNow],
  )
  const create = (
    <PermissionGate of="scenes.create">
      <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setEditing('new')}>
        {t('addScene')}
      </Button>
    </PermissionGate>
  )
  return (
    <>
      <ListPage
        id="scenes"
        operation="scenes.list"
        fetchPage={fetchScenes}
        rowKey={keyOf}
        columns={columns}
        filters={filters}
        state={state}
        searchPlaceholder={t('search')}
        title={t('title')}
        description={t('scenesLead')}
        tabs={tabs}
        actions={create}
        rowActions={rowActions}
        actionsWidth={locale() === 'en' ? 176 : 168}
        empty={{ title: t('noScenes'), description: t('noScenesText'), action: create }}
        exportName="scenes"
      />
      <Suspense>
        {editing && (
          <SceneDrawer
            scene={editing === 'new' ? null : editing}
            deviceId={params.get('deviceId')}
            onClose={() => setEditing(null)}
          />
        )}
      </Suspense>
      {removing && (
        <Modal
          open
          title={t('ask.remove', { what: t('quoted', { name: removing.name }) })}
          okText={t('remove')}
          cancelText={t('cancel')}
          okButtonProps={{ danger: true }}
          onOk={() => {
            void remove({ params: { id: removing.id } })
            setRemoving(null)
          }}
          onCancel={() => setRemoving(null)}
        >
          {t('sceneRemoveText')}
        </Modal>
      )}
    </>
  )
}
