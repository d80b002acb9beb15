import { SafetyCertificateOutlined } from '@ant-design/icons'
import type { AuditView } from '@thingwright/contracts/audit.contract'
import { AUDIT_RESULTS } from '@thingwright/contracts/audit.words'
import { Button } from 'antd'
import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useSearchParams } from 'react-router'
import { formatDateTime } from '../../../lib/format.ts'
import { useMay } from '../../../lib/permissions.ts'
import { ListPage } from '../../../ui/list-page/list-page.tsx'
import type { ListColumn, ListFilter, RowAction } from '../../../ui/list-page/list-types.ts'
import { useListState } from '../../../ui/list-page/use-list-state.ts'
import { TimeText } from '../../../ui/time-text.tsx'
import css from '../audit.module.css'
import { useAuditWords } from '../audit-words.ts'
import { AddressText } from '../components/address-text.tsx'
import { ResultTag } from '../components/result-tag.tsx'
import { fetchAudit, useAuditFilters } from '../hooks.ts'
import { objectAddress } from '../object-address.ts'
import { PERIODS, withPeriod } from '../period.ts'

const LineDrawer = lazy(async () => ({ default: (await import('../components/line-drawer.tsx')).LineDrawer }))
const ChainDrawer = lazy(async () => ({ default: (await import('../components/chain-drawer.tsx')).ChainDrawer }))

const keyOf = (line: AuditView) => line.id

/** The operation log: who changed what, from where, with what result; every line opens with its before and after. */
export function ActionPage() {
  const { t } = useTranslation('audit')
  const words = useAuditWords()
  const [chain, setChain] = useState(false)
  const [params, setParams] = useSearchParams()
  const line = params.get('line')
  const mayRead = useMay('audit.list')
  const mayExport = useMay('audit.export')
  const choices = useAuditFilters(mayRead)
  const { actions = [], objectTypes = [], actors = [] } = choices.data ?? {}
  const filters = useMemo<ListFilter[]>(
    () => [
      {
        key: 'period',
        label: t('period'),
        options: Object.keys(PERIODS).map(value => ({ value, label: t(`back.${value}` as never) })),
      },
      {
        key: 'action',
        label: t('action'),
        open: true,
        options: actions.map(value => ({ value, label: words.action(value) })),
        display: words.action,
      },
      {
        key: 'result',
        label: t('resultTitle'),
        options: AUDIT_RESULTS.map(value => ({ value, label: t(`result.${value}`) })),
      },
      {
        key: 'actorId',
        label: t('actor'),
        open: true,
        options: actors.map(({ id, name }) => ({ value: id, label: name })),
      },
      {
        key: 'objectType',
        label: t('objectType'),
        open: true,
        options: objectTypes.map(value => ({ value, label: words.objectType(value) })),
        display: words.objectType,
      },
      { key: 'ip', label: t('ip') },
      { key: 'from', label: t('from'), open: true },
      { key: 'to', label: t('to'), open: true },
      { key: 'objectId', label: t('objectId'), chipOnly: true },
    ],
    [t, words, actions, objectTypes, actors],
  )
  const state = useListState(filters)
  const show = useCallback(
    (id: string | null) =>
      setParams(
        before => {
          const next = new URLSearchParams(before)
          if (id === null) next.delete('line')
          else next.set('line', id)
          return next
        },
        { preventScrollReset: true },
      ),
    [setParams],
  )
  const columns = useMemo<ListColumn<AuditView>[]>(
    () => [
      {
        key: 'at',
        title: t('at'),
        width: 188,
        sortKey: 'at',
        required: true,
        render: row => <TimeText value={row.at} mode="absolute" />,
        csv: row => formatDateTime(row.at),
      },
      {
        key: 'actor',
        title: t('actor'),
        width: 112,
        render: row => (
          <span className={css.cut} title={row.actorName}>
            {row.actorKind === 'system' ? t('system') : row.actorName}
          </span>
        ),
      },
      {
        key: 'action',
        title: t('action'),
        minWidth: 140,
        render: row => (
          <button type="button" className={css.link} title={row.action} onClick={() => show(row.id)}>
            {words.action(row.action, row.result)}
          </button>
        ),
      },
      { key: 'result', title: t('resultTitle'), width: 114, render: row => <ResultTag result={row.result} /> },
      {
        key: 'object',
        title: t('object'),
        minWidth: 152,
        render: row => {
          const to = objectAddress(row.objectType, row.objectId)
          const name = row.objectName ?? row.objectId ?? '–'
          return (
            <span className={css.two}>
              {to ? (
                <Link to={to} title={name} dir="auto">
                  {name}
                </Link>
              ) : (
                <span title={name} dir="auto">
                  {name}
                </span>
              )}
              <small>{words.objectType(row.objectType)}</small>
            </span>
          )
        },
      },
      { key: 'ip', title: t('ip'), width: 150, rank: 2, render: row => <AddressText ip={row.ip} place={row.place} /> },
      {
        key: 'client',
        title: t('client'),
        width: 150,
        rank: 1,
        render: row => (
          <span className={css.cut} title={row.client ?? ''}>
            {row.client || '–'}
          </span>
        ),
      },
    ],
    [t, words, show],
  )
  const rowActions = useCallback(
    (row: AuditView): RowAction[] => [{ key: 'open', label: t('details'), onClick: () => show(row.id) }],
    [t, show],
  )
  return (
    <>
      <ListPage
        id="audit"
        operation="audit.list"
        fetchPage={fetchAudit}
        rowKey={keyOf}
        rowHref={row => `?${withLine(params, row.id)}`}
        columns={columns}
        filters={filters}
        state={state}
        searchPlaceholder={t('searchPlaceholder')}
        title={t('title')}
        description={t('lead')}
        actions={
          <Button icon={<SafetyCertificateOutlined aria-hidden />} onClick={() => setChain(true)}>
            {t('verify.open')}
          </Button>
        }
        rowActions={rowActions}
        actionsWidth={80}
        empty={{ title: t('emptyTitle'), description: t('emptyText') }}
        exportName={mayExport ? 'operation-log' : null}
        exportPath="/api/v1/audit-logs/export"
        exportFilters={withPeriod}
      />
      <Suspense>
        {line !== null && mayRead && (
          <LineDrawer
            id={line}
            onClose={() => show(null)}
            onObject={(type, id) => {
              state.setFilters({ objectType: type, objectId: id })
              show(null)
            }}
          />
        )}
        {chain && mayRead && <ChainDrawer onClose={() => setChain(false)} onLine={show} />}
      </Suspense>
    </>
  )
}

function withLine(params: URLSearchParams, id: string): string {
  const next = new URLSearchParams(params)
  next.set('line', id)
  return next.toString()
}
