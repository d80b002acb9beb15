import type { EndUserView } from '@thingwright/contracts/end-users.contract'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatDateTime } from '../../lib/format.ts'
import { ListPage } from '../../ui/list-page/list-page.tsx'
import type { ListColumn, ListFilter } from '../../ui/list-page/list-types.ts'
import { useListState } from '../../ui/list-page/use-list-state.ts'
import { TimeText } from '../../ui/time-text.tsx'
import { fetchEndUsers } from './hooks.ts'

const keyOf = (row: EndUserView) => row.id
const NO_FILTERS: readonly ListFilter[] = []

export function EndUsersPage() {
  const { t } = useTranslation('end-users')
  const state = useListState(NO_FILTERS)
  const columns = useMemo<ListColumn<EndUserView>[]>(
    () => [
      {
        key: 'name',
        title: t('name'),
        minWidth: 200,
        required: true,
        render: row => <Link to={`/manage/user/center/info?id=${row.id}`}>{row.name}</Link>,
        csv: row => row.name,
      },
      {
        key: 'createdAt',
        title: t('createdAt'),
        width: 132,
        render: row => <TimeText value={row.createdAt} />,
        csv: row => formatDateTime(row.createdAt),
      },
    ],
    [t],
  )
  return (
    <ListPage
      id="end-users"
      operation="endUsers.list"
      fetchPage={fetchEndUsers}
      rowKey={keyOf}
      columns={columns}
      filters={NO_FILTERS}
      state={state}
      searchPlaceholder={t('search')}
      title={t('title')}
      description={t('lead')}
      empty={{ title: t('emptyTitle'), description: t('emptyText') }}
      exportName="end-users"
    />
  )
}
