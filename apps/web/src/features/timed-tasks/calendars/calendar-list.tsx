import { PlusOutlined } from '@ant-design/icons'
import type { CalendarView } from '@thingwright/contracts/timed-tasks.contract'
import { Button, Modal } from 'antd'
import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../../lib/api-client.ts'
import { formatNumber } from '../../../lib/format.ts'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { ListPage } from '../../../ui/list-page/list-page.tsx'
import type { FetchPage, ListColumn, ListFilter, RowAction } from '../../../ui/list-page/list-types.ts'
import { useListState } from '../../../ui/list-page/use-list-state.ts'
import { PermissionGate } from '../../../ui/permission-gate.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import type { Tabs } from '../hooks.ts'

const CalendarDrawer = lazy(async () => ({ default: (await import('./calendar-drawer.tsx')).CalendarDrawer }))

const keyOf = (row: CalendarView) => row.id
const NO_FILTERS: readonly ListFilter[] = []

/** A company has few of them: they come in one page, searched here. */
const fetchCalendars: FetchPage<CalendarView> = async ({ q = '' }, signal) => {
  const { items } = await call('calendars.list', { signal })
  const found = items.filter(({ name }) => name.toLowerCase().includes(q.toLowerCase()))
  return { items: found, nextCursor: null, total: found.length }
}

/** Free days, and weekends that are worked. */
export function CalendarList({ tabs }: { tabs: Tabs }) {
  const { t } = useTranslation('timed-tasks')
  const mayWrite = useMay('calendars.update')
  const { run: remove } = useAct('calendars.remove', { done: () => notify.success(t('calendarRemoved')) })
  const [editing, setEditing] = useState<CalendarView | 'new' | null>(null)
  const [removing, setRemoving] = useState<CalendarView | null>(null)
  const state = useListState(NO_FILTERS)
  const columns = useMemo<ListColumn<CalendarView>[]>(
    () => [
      { key: 'name', title: t('name'), minWidth: 200, required: true, render: row => row.name, csv: row => row.name },
      {
        key: 'holidays',
        title: t('holidays'),
        width: 152,
        align: 'right',
        render: row => formatNumber(row.holidays.length),
        csv: row => row.holidays.join(' '),
      },
      {
        key: 'workdays',
        title: t('workdays'),
        width: 184,
        align: 'right',
        render: row => formatNumber(row.workdays.length),
        csv: row => row.workdays.join(' '),
      },
      {
        key: 'tasks',
        title: t('usedBy'),
        width: 128,
        align: 'right',
        render: row => formatNumber(row.tasks),
        csv: row => row.tasks,
      },
      { key: 'updatedAt', title: t('updatedAt'), width: 144, render: row => <TimeText value={row.updatedAt} /> },
    ],
    [t],
  )
  const rowActions = useCallback(
    (row: CalendarView): RowAction[] =>
      mayWrite
        ? [
            { key: 'edit', label: t('edit'), onClick: () => setEditing(row) },
            { key: 'remove', label: t('remove'), danger: true, onClick: () => setRemoving(row) },
          ]
        : [],
    [t, mayWrite],
  )
  const create = (
    <PermissionGate of="calendars.create">
      <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setEditing('new')}>
        {t('addCalendar')}
      </Button>
    </PermissionGate>
  )
  return (
    <>
      <ListPage
        id="calendars"
        operation="calendars.list"
        fetchPage={fetchCalendars}
        rowKey={keyOf}
        columns={columns}
        filters={NO_FILTERS}
        state={state}
        searchPlaceholder={t('search')}
        title={t('title')}
        description={t('calendarsLead')}
        tabs={tabs}
        actions={create}
        rowActions={rowActions}
        empty={{ title: t('noCalendars'), description: t('noCalendarsText'), action: create }}
        exportName="calendars"
      />
      <Suspense>
        {editing && <CalendarDrawer calendar={editing === 'new' ? null : editing} onClose={() => setEditing(null)} />}
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
          {t('calendarRemoveText')}
        </Modal>
      )}
    </>
  )
}
