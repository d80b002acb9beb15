import type { NotificationRecordView } from '@thingwright/contracts/contacts.contract'
import { RECORD_STATES } from '@thingwright/contracts/contacts.words'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatDateTime } from '../../lib/format.ts'
import { ListPage } from '../../ui/list-page/list-page.tsx'
import type { ListColumn, ListFilter } from '../../ui/list-page/list-types.ts'
import { useListState } from '../../ui/list-page/use-list-state.ts'
import { TimeText } from '../../ui/time-text.tsx'
import { fetchRecords, type Tabs } from './hooks.ts'

const keyOf = (row: NotificationRecordView) => row.id

/** Messages about alarms and what became of them. */
export function RecordList({ tabs }: { tabs: Tabs }) {
  const { t } = useTranslation('contacts')
  const filters = useMemo<ListFilter[]>(
    () => [
      {
        key: 'state',
        label: t('state'),
        options: RECORD_STATES.map(value => ({ value, label: t(`record.${value}`) })),
      },
    ],
    [t],
  )
  const state = useListState(filters)
  const columns = useMemo<ListColumn<NotificationRecordView>[]>(() => {
    const subjectOf = (row: NotificationRecordView) =>
      t(`record.${row.kind}`, { trigger: row.triggerName, device: row.deviceName ?? '–' })
    const stateOf = (row: NotificationRecordView) =>
      [
        t(`record.${row.state}`),
        ...(row.merged ? [t('record.merged')] : []),
        ...(row.maybeTwice ? [t('record.maybeTwice')] : []),
      ].join(' · ')
    return [
      {
        key: 'subject',
        title: t('record.subject'),
        minWidth: 240,
        required: true,
        render: row => <Link to={`/manage/user/center/alarm?alarm=${row.alarmId}`}>{subjectOf(row)}</Link>,
        csv: subjectOf,
      },
      {
        key: 'to',
        title: t('record.to'),
        minWidth: 200,
        render: row => `${row.contactName} <${row.address}>`,
        csv: row => `${row.contactName} <${row.address}>`,
      },
      { key: 'state', title: t('state'), width: 176, render: stateOf, csv: stateOf },
      {
        key: 'reason',
        title: t('record.reason'),
        minWidth: 160,
        rank: 1,
        render: row => row.reason ?? '–',
        csv: row => row.reason ?? '',
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
  return (
    <ListPage
      id="notification-records"
      operation="contacts.records"
      fetchPage={fetchRecords}
      rowKey={keyOf}
      columns={columns}
      filters={filters}
      state={state}
      tabs={tabs}
      searchPlaceholder={t('record.search')}
      title={t('title')}
      description={t('lead')}
      empty={{ title: t('record.emptyTitle'), description: t('record.emptyText') }}
      exportName="notification-records"
    />
  )
}
