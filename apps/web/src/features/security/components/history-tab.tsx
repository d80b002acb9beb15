import { SIGN_IN_RESULTS } from '@thingwright/contracts/security.words'
import { Button, Input, Segmented, Select } from 'antd'
import { useDeferredValue, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { download, type Reply } from '../../../lib/api-client.ts'
import { useMay } from '../../../lib/permissions.ts'
import { usePages } from '../../../lib/server-state/use-pages.ts'
import { useWork } from '../../../lib/server-state/use-work.ts'
import { DataTable } from '../../../ui/list-page/data-table.tsx'
import type { ListColumn } from '../../../ui/list-page/list-types.ts'
import { Panel } from '../../../ui/panel.tsx'
import { EmptyState, ErrorState } from '../../../ui/states.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import css from '../security.module.css'

type SignIn = Reply<'security.history'>['items'][number]
const KIND = { ok: 'success', refused: 'error', second_factor: 'processing' } as const

export function HistoryTab() {
  const { t } = useTranslation('security')
  const mayRule = useMay('security.companyHistory')
  const [whose, setWhose] = useState<'mine' | 'company'>('mine')
  const [result, setResult] = useState<(typeof SIGN_IN_RESULTS)[number] | ''>('')
  const [typed, setTyped] = useState('')
  const q = useDeferredValue(typed.trim())
  const { attempt, pending: exporting } = useWork()
  const filters = { ...(result ? { result } : {}), ...(q ? { q } : {}) }
  const list = usePages(
    whose === 'mine' ? 'security.history' : 'security.companyHistory',
    { query: { limit: 50, ...filters } },
    { keep: true },
  )
  const rows = list.data?.pages.flatMap(page => page.items) ?? []
  const columns = useMemo<ListColumn<SignIn>[]>(
    () => [
      { key: 'at', title: t('history.at'), width: 188, render: row => <TimeText value={row.at} mode="absolute" /> },
      ...(whose === 'company'
        ? [{ key: 'username', title: t('history.username'), width: 160, render: (row: SignIn) => row.username }]
        : []),
      {
        key: 'result',
        title: t('history.result'),
        width: 152,
        render: row => (
          <StatusTag kind={KIND[row.result]} {...(row.reason ? { title: row.reason } : {})}>
            {row.reason ? t(`reason.${row.reason.replace('.', '_')}`, row.reason) : t(`result.${row.result}`)}
          </StatusTag>
        ),
      },
      {
        key: 'method',
        title: t('history.method'),
        width: 120,
        rank: 1,
        render: row =>
          row.method
            .split('+')
            .map(part => t(`method.${part}`, part))
            .join(' + '),
      },
      {
        key: 'ip',
        title: t('history.ip'),
        width: 196,
        rank: 2,
        render: row => `${row.ip ?? '–'} · ${t(`place.${row.place}`, row.place)}`,
      },
      {
        key: 'client',
        title: t('history.client'),
        minWidth: 160,
        render: row =>
          [row.client || t('sessions.unknownClient'), ...(row.newDevice ? [t('history.newDevice')] : [])].join(' · '),
      },
    ],
    [t, whose],
  )
  const save = async () => {
    await attempt(async () => {
      const day = new Date().toISOString().slice(0, 10)
      await download('security.companyHistoryExport', `${t('history.fileName')}-${day}.xlsx`, {
        query: { format: 'xlsx', ...filters },
      })
    })
  }
  const narrowed = result !== '' || q !== ''
  return (
    <Panel flush>
      <div className={css.bar}>
        {mayRule && (
          <Segmented
            value={whose}
            options={[
              { value: 'mine' as const, label: t('history.mine') },
              { value: 'company' as const, label: t('history.company') },
            ]}
            onChange={setWhose}
          />
        )}
        <Input.Search
          allowClear
          style={{ width: 260 }}
          maxLength={128}
          value={typed}
          placeholder={t('history.search')}
          aria-label={t('history.search')}
          onChange={event => setTyped(event.target.value)}
        />
        <Select
          style={{ width: 160 }}
          aria-label={t('history.result')}
          value={result}
          options={[
            { value: '' as const, label: t('history.allResults') },
            ...SIGN_IN_RESULTS.map(value => ({ value, label: t(`result.${value}`) })),
          ]}
          onChange={setResult}
        />
        <span style={{ flex: 1 }} />
        {whose === 'company' && (
          <Button loading={exporting} onClick={() => void save()}>
            {t('history.export')}
          </Button>
        )}
      </div>
      {list.isError && rows.length === 0 ? (
        <ErrorState error={list.error} onRetry={() => void list.refetch()} />
      ) : list.isSuccess && rows.length === 0 ? (
        narrowed ? (
          <EmptyState
            onClear={() => {
              setResult('')
              setTyped('')
            }}
          />
        ) : (
          <EmptyState title={t('history.empty')} description={t('history.emptyText')} />
        )
      ) : (
        <>
          <DataTable
            label={t('tab.history')}
            columns={columns}
            rows={rows}
            rowKey={row => row.id}
            density="dense"
            skeleton={list.isPending ? 10 : 0}
          />
          {list.hasNextPage && (
            <div className={css.more}>
              <Button loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
                {t('history.more')}
              </Button>
            </div>
          )}
        </>
      )}
    </Panel>
  )
}
