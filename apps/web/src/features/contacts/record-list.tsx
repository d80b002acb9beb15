import { API_PATHS } from '@thingwright/contracts/api-paths'
import type { NotificationRecordView } from '@thingwright/contracts/contacts.contract'
import { MESSAGE_CHANNELS, RECORD_STATES } from '@thingwright/contracts/contacts.words'
import { Modal } from 'antd'
import { useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatDateTime } from '../../lib/format.ts'
import { useMay } from '../../lib/permissions.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { ListPage } from '../../ui/list-page/list-page.tsx'
import type { ListColumn, ListFilter, RowAction } from '../../ui/list-page/list-types.ts'
import { useListState } from '../../ui/list-page/use-list-state.ts'
import { TimeText } from '../../ui/time-text.tsx'
import css from './contacts.module.css'
import { fetchRecords, type Tabs } from './hooks.ts'

/** Reasons that are words of ours; the rest is what providers said. */
const REASONS = [
  'quiet_hours',
  'per_hour',
  'per_day',
  'not_needed',
  'no_account',
  'no_template_code',
  'no_simulator',
  'no_units',
  'no_permission',
  'refused_by_person',
  'template_not_approved',
] as const
const keyOf = (row: NotificationRecordView) => row.id

/** Messages about alarms and what became of them. */
export function RecordList({ tabs }: { tabs?: Tabs; userId?: string | null }) {
  const { t } = useTranslation('contacts')
  const filters = useMemo<ListFilter[]>(
    () => [
      {
        key: 'state',
        label: t('state'),
        options: RECORD_STATES.map(value => ({ value, label: t(`record.${value}`) })),
      },
      {
        key: 'channel',
        label: t('channel.kind'),
        options: MESSAGE_CHANNELS.map(value => ({ value, label: t(`way.${value}`) })),
      },
    ],
    [t],
  )
  const state = useListState(filters)
  const columns = useMemo<ListColumn<NotificationRecordView>[]>(() => {
    const subjectOf = (row: NotificationRecordView) =>
      t(`record.${row.kind}`, { trigger: row.triggerName ?? row.title ?? '–', device: row.deviceName ?? '–' })
    const stateOf = (row: NotificationRecordView) =>
      [
        t(`record.${row.state}`),
        ...(row.merged ? [t('record.merged')] : []),
        ...(row.receipt ? [t(`receipt.${row.receipt}`)] : []),
        ...(row.simulated ? [t('channel.simulated')] : []),
        ...(row.maybeTwice ? [t('record.maybeTwice')] : []),
      ].join(' · ')
    const toOf = (row: NotificationRecordView) =>
      [t(`way.${row.channel}`), row.contactName, row.address].filter(Boolean).join(' · ')
    const reasonOf = (row: NotificationRecordView) =>
      row.reason === null
        ? (row.receiptReason ?? '')
        : (REASONS as readonly string[]).includes(row.reason)
          ? t(`why.${row.reason as (typeof REASONS)[number]}`)
          : row.reason
    return [
      {
        key: 'subject',
        title: t('record.subject'),
        minWidth: 240,
        required: true,
        render: row =>
          row.alarmId ? (
            <Link to={`/manage/user/center/alarm?alarm=${row.alarmId}`}>{subjectOf(row)}</Link>
          ) : (
            subjectOf(row)
          ),
        csv: subjectOf,
      },
      {
        key: 'to',
        title: t('record.to'),
        minWidth: 200,
        render: toOf,
        csv: toOf,
      },
      { key: 'state', title: t('state'), width: 176, render: stateOf, csv: stateOf },
      {
        key: 'reason',
        title: t('record.reason'),
        minWidth: 160,
        rank: 1,
        render: row => reasonOf(row) || '–',
        csv: reasonOf,
      },
      {
        key: 'cost',
        title: t('record.cost'),
        width: 88,
        align: 'right',
        rank: 2,
        render: row => row.cost,
        csv: row => row.cost,
      },
      { key: 'attempts', title: t('record.attempts'), width: 88, align: 'right', rank: 1, render: row => row.attempts },
      {
        key: 'createdAt',
        title: t('record.createdAt'),
        width: 132,
        rank: 2,
        render: row => <TimeText value={row.createdAt} />,
        csv: row => formatDateTime(row.createdAt),
      },
    ]
  }, [t])
  const { run: resend } = useAct('notificationChannels.resend', { touches: ['contacts'] })
  const mayResend = useMay('notificationChannels.resend')
  const [shown, setShown] = useState<NotificationRecordView | null>(null)
  const rowActions = useCallback(
    (row: NotificationRecordView): RowAction[] => [
      ...(row.content ? [{ key: 'content', label: t('record.content'), onClick: () => setShown(row) }] : []),
      ...(mayResend && (row.state === 'failed' || row.state === 'cancelled')
        ? [{ key: 'resend', label: t('record.resend'), onClick: () => void resend({ params: { id: row.id } }) }]
        : []),
    ],
    [t, mayResend, resend],
  )
  return (
    <>
      <ListPage
        id="notification-records"
        operation="contacts.records"
        fetchPage={fetchRecords}
        rowKey={keyOf}
        columns={columns}
        filters={filters}
        state={state}
        {...(tabs ? { tabs } : {})}
        searchPlaceholder={t('record.search')}
        title={t('title')}
        description={t('lead')}
        empty={{ title: t('record.emptyTitle'), description: t('record.emptyText') }}
        exportName="notification-records"
        exportPath={API_PATHS['contacts.exportRecords'][1]}
        rowActions={rowActions}
      />
      {shown && (
        <Modal
          open
          width={520}
          title={shown.title || t('record.content')}
          footer={null}
          onCancel={() => setShown(null)}
        >
          <p className={css.content} dir="auto">
            {shown.content}
          </p>
        </Modal>
      )}
    </>
  )
}
