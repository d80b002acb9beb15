import { PlusOutlined } from '@ant-design/icons'
import type { ReportView } from '@thingwright/contracts/reports.contract'
import { REPORT_FORMATS, REPORT_SOURCES, REPORT_STATES } from '@thingwright/contracts/reports.words'
import { Button, Modal, Switch } from 'antd'
import { useCallback, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDateTime } from '../../lib/format.ts'
import { notify } from '../../lib/notify.ts'
import { useMay } from '../../lib/permissions.ts'
import { personName } from '../../lib/person-name.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { ListPage } from '../../ui/list-page/list-page.tsx'
import type { ListColumn, ListFilter, RowAction } from '../../ui/list-page/list-types.ts'
import { NameCell } from '../../ui/list-page/name-cell.tsx'
import { useListState } from '../../ui/list-page/use-list-state.ts'
import { PermissionGate } from '../../ui/permission-gate.tsx'
import { StatusTag } from '../../ui/status-tag.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { fetchReports, type Tabs } from './hooks.ts'
import { RUN_KIND, STATE_KIND, scheduleText, sourceText } from './lists.ts'

const keyOf = (row: ReportView) => row.id
const hrefOf = (row: ReportView) => `/stat/reports?report=${row.id}`

/** Every report: what it is made of, when it runs, who gets it, what came of the last run. */
export function ReportList({ tabs, onAdd }: { tabs: Tabs; onAdd: () => void }) {
  const { t } = useTranslation('reports')
  const [modal, holder] = Modal.useModal()
  const mayWrite = useMay('reports.update')
  const { run: enable } = useAct('reports.enable', { done: ({ name }) => notify.success(t('enabledDone', { name })) })
  const { run: disable } = useAct('reports.disable', {
    done: ({ name }) => notify.success(t('disabledDone', { name })),
  })
  const { run: runNow } = useAct('reports.run', { done: ({ name }) => notify.success(t('runBegun', { name })) })
  const { run: remove } = useAct('reports.remove', { done: () => notify.success(t('removed')) })
  const filters = useMemo<ListFilter[]>(
    () => [
      {
        key: 'state',
        label: t('state'),
        options: REPORT_STATES.map(value => ({ value, label: t(`states.${value}`) })),
      },
      {
        key: 'kind',
        label: t('source'),
        options: REPORT_SOURCES.map(value => ({ value, label: t(`sources.${value}`) })),
      },
      {
        key: 'format',
        label: t('format'),
        options: REPORT_FORMATS.map(value => ({ value, label: value.toUpperCase() })),
      },
    ],
    [t],
  )
  const state = useListState(filters)
  const columns = useMemo<ListColumn<ReportView>[]>(() => {
    const recipientsOf = (row: ReportView) =>
      row.recipients.length === 0 ? t('nobody') : row.recipients.map(({ label }) => label || t('gone')).join(' · ')
    return [
      {
        key: 'name',
        title: t('name'),
        minWidth: 176,
        required: true,
        sortKey: 'name',
        render: row => <NameCell name={row.name} to={hrefOf(row)} />,
        csv: row => row.name,
      },
      {
        key: 'state',
        title: t('state'),
        width: 128,
        required: true,
        render: row =>
          mayWrite && row.state !== 'error' ? (
            <span>
              <Switch
                size="small"
                checked={row.state === 'enabled'}
                aria-label={t('enabledOf', { name: row.name })}
                onChange={on => void (on ? enable : disable)({ params: { id: row.id } })}
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
        key: 'source',
        title: t('source'),
        minWidth: 152,
        rank: 4,
        render: row => `${sourceText(row.source, t)} · ${row.format.toUpperCase()}`,
        csv: row => `${sourceText(row.source, t)} · ${row.format.toUpperCase()}`,
      },
      {
        key: 'schedule',
        title: t('schedule'),
        minWidth: 152,
        rank: 5,
        render: row => <span title={row.schedule.zone ?? ''}>{scheduleText(row.schedule, t)}</span>,
        csv: row => scheduleText(row.schedule, t),
      },
      {
        key: 'recipients',
        title: t('recipients'),
        minWidth: 168,
        rank: 2,
        render: row => <span title={recipientsOf(row)}>{recipientsOf(row)}</span>,
        csv: recipientsOf,
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
    ]
  }, [t, mayWrite, enable, disable])
  const rowActions = useCallback(
    (row: ReportView): RowAction[] => {
      const log = { key: 'log', label: t('log'), to: `/stat/reports?tab=runs&reportId=${row.id}` }
      if (!mayWrite) return [log]
      const input = { params: { id: row.id } }
      return [
        { key: 'edit', label: t('edit'), to: hrefOf(row) },
        { key: 'run', label: t('runNow'), onClick: () => void runNow(input) },
        log,
        ...(row.state === 'error'
          ? [{ key: 'enable', label: t('enableAgain'), onClick: () => void enable(input) }]
          : []),
        {
          key: 'remove',
          label: t('remove'),
          danger: true,
          onClick: () =>
            void modal.confirm({
              title: t('removeTitle', { name: row.name }),
              content: t('removeText'),
              okText: t('remove'),
              cancelText: t('cancel'),
              okButtonProps: { danger: true },
              onOk: () => remove(input),
            }),
        },
      ]
    },
    [t, mayWrite, runNow, enable, remove, modal],
  )
  const create = (
    <PermissionGate of="reports.create">
      <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={onAdd}>
        {t('add')}
      </Button>
    </PermissionGate>
  )
  return (
    <>
      <ListPage
        id="reports"
        operation="reports.list"
        fetchPage={fetchReports}
        rowKey={keyOf}
        rowHref={hrefOf}
        columns={columns}
        filters={filters}
        state={state}
        searchPlaceholder={t('search')}
        title={t('title')}
        description={t('lead')}
        tabs={tabs}
        actions={create}
        actionsWidth={176}
        rowActions={rowActions}
        empty={{ title: t('emptyTitle'), description: t('emptyText'), action: create }}
        exportName="reports"
      />
      {holder}
    </>
  )
}
