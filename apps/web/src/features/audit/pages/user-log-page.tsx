import type { UserLogView } from '@thingwright/contracts/audit.contract'
import { USER_LOG_KINDS } from '@thingwright/contracts/audit.words'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatDateTime } from '../../../lib/format.ts'
import { useMay } from '../../../lib/permissions.ts'
import { ListPage } from '../../../ui/list-page/list-page.tsx'
import type { ListColumn, ListFilter } from '../../../ui/list-page/list-types.ts'
import { useListState } from '../../../ui/list-page/use-list-state.ts'
import { useListTab } from '../../../ui/list-page/use-list-tab.ts'
import { type StatusKind, StatusTag } from '../../../ui/status-tag.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import css from '../audit.module.css'
import { useAuditWords } from '../audit-words.ts'
import { AddressText } from '../components/address-text.tsx'
import { ResultTag } from '../components/result-tag.tsx'
import { fetchOwnLog, fetchUserLog } from '../hooks.ts'
import { objectAddress } from '../object-address.ts'
import { PERIODS, withPeriod } from '../period.ts'

const SIGN: Record<UserLogView['kind'], StatusKind> = {
  sign_in: 'online',
  lock_out: 'error',
  sign_out: 'neutral',
  command: 'processing',
  export: 'warning',
}
const TABS = ['all', 'own'] as const

const keyOf = (entry: UserLogView) => entry.id

/** Sign-ins, lockouts, sign-outs, commands and exports of users; one's own entries need no right. */
export function UserLogPage() {
  const { t } = useTranslation('audit')
  const words = useAuditWords()
  const mayRead = useMay('userLog.list')
  const filters = useMemo<ListFilter[]>(
    () => [
      {
        key: 'period',
        label: t('period'),
        options: Object.keys(PERIODS).map(value => ({ value, label: t(`back.${value}` as never) })),
      },
      {
        key: 'kind',
        label: t('kindTitle'),
        options: USER_LOG_KINDS.map(value => ({ value, label: t(`kind.${value}`) })),
      },
      {
        key: 'result',
        label: t('resultTitle'),
        options: (['ok', 'half', 'refused', 'failed'] as const).map(value => ({ value, label: t(`result.${value}`) })),
      },
      { key: 'ip', label: t('ip') },
      { key: 'from', label: t('from'), open: true },
      { key: 'to', label: t('to'), open: true },
      { key: 'loginId', label: t('user'), chipOnly: true },
    ],
    [t],
  )
  const state = useListState(filters)
  const [tab, setTab] = useListTab(TABS)
  const own = tab === 'own' || !mayRead
  const columns = useMemo<ListColumn<UserLogView>[]>(
    () => [
      {
        key: 'at',
        title: t('at'),
        width: 188,
        required: true,
        render: row => <TimeText value={row.at} mode="absolute" />,
        csv: row => formatDateTime(row.at),
      },
      {
        key: 'user',
        title: t('user'),
        width: 150,
        render: row => (
          <span className={css.cut} title={row.username}>
            {row.username}
          </span>
        ),
        csv: row => row.username,
      },
      {
        key: 'result',
        title: t('resultTitle'),
        width: 130,
        render: row => <ResultTag result={row.result} />,
        csv: row => t(`result.${row.result}`),
      },
      {
        key: 'kind',
        title: t('kindTitle'),
        width: 104,
        render: row => <StatusTag kind={SIGN[row.kind]}>{t(`kind.${row.kind}`)}</StatusTag>,
        csv: row => t(`kind.${row.kind}`),
      },
      {
        key: 'what',
        title: t('what'),
        minWidth: 200,
        render: row => {
          const to = objectAddress(row.objectType, row.objectId)
          const name = row.objectName ?? row.objectId
          return (
            <span className={css.two}>
              <span>{words.way(row.action) ?? words.action(row.action, row.result)}</span>
              {row.reason ? (
                <small title={row.reason.code}>{row.reason.message}</small>
              ) : (
                name !== null && <small dir="auto">{to ? <Link to={to}>{name}</Link> : name}</small>
              )}
            </span>
          )
        },
        csv: row => words.way(row.action) ?? words.action(row.action, row.result),
      },
      {
        key: 'ip',
        title: t('ip'),
        width: 150,
        rank: 2,
        render: row => <AddressText ip={row.ip} place={row.place} />,
        csv: row => row.ip,
      },
      {
        key: 'client',
        title: t('client'),
        width: 160,
        rank: 1,
        render: row => (
          <span className={css.cut} title={row.client ?? ''}>
            {row.client || '–'}
          </span>
        ),
        csv: row => row.client,
      },
    ],
    [t, words],
  )
  return (
    <ListPage
      id="user-log"
      operation={own ? 'userLog.own' : 'userLog.list'}
      fetchPage={own ? fetchOwnLog : fetchUserLog}
      rowKey={keyOf}
      columns={columns}
      filters={filters}
      state={state}
      searchPlaceholder={t('userSearchPlaceholder')}
      title={t('userTitle')}
      description={own && !mayRead ? t('ownLead') : t('userLead')}
      {...(mayRead
        ? {
            tabs: {
              active: tab,
              onChange: setTab as (key: string) => void,
              items: TABS.map(key => ({ key, label: t(`tab.${key}`) })),
            },
          }
        : {})}
      empty={{ title: t('userEmptyTitle'), description: t('userEmptyText') }}
      exportName="user-log"
      {...(own ? {} : { exportPath: '/api/v1/user-logs/export', exportFilters: withPeriod })}
    />
  )
}
