import { ASSISTANT_ENGINES } from '@thingwright/contracts/assistant.words'
import type { TFunction } from 'i18next'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDateTime, formatDuration, formatMoney, formatNumber } from '../../../lib/format.ts'
import { ListPage } from '../../../ui/list-page/list-page.tsx'
import type { ListColumn, ListFilter } from '../../../ui/list-page/list-types.ts'
import { useListState } from '../../../ui/list-page/use-list-state.ts'
import { type StatusKind, StatusTag } from '../../../ui/status-tag.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { fetchReplies, PERIODS, type ReplyRow, useTools } from './hooks.ts'
import css from './settings.module.css'
import { costText } from './usage-days.ts'

const SIGN: Record<ReplyRow['state'], StatusKind> = {
  running: 'processing',
  done: 'success',
  stopped: 'neutral',
  failed: 'error',
}
const keyOf = (row: ReplyRow) => row.id

/** Every reply with what it used and cost; what was asked is not kept. */
export function RepliesPage() {
  const { t } = useTranslation('settings')
  const tools = useTools().data?.items
  const titles = useMemo(() => new Map((tools ?? []).map(tool => [tool.name, tool.title])), [tools])
  const filters = useMemo<ListFilter[]>(
    () => [
      {
        key: 'period',
        label: t('replies.period'),
        options: Object.keys(PERIODS).map(value => ({
          value,
          label: t(`replies.back.${value as keyof typeof PERIODS}`),
        })),
      },
    ],
    [t],
  )
  const state = useListState(filters)
  const columns = useMemo(() => replyColumns(t, name => titles.get(name) ?? name), [t, titles])
  return (
    <ListPage
      id="assistant-replies"
      operation="assistant.replies"
      fetchPage={fetchReplies}
      rowKey={keyOf}
      columns={columns}
      filters={filters}
      state={state}
      searchPlaceholder=""
      title={t('replies.title')}
      description={t('replies.lead')}
      crumbs={[
        { title: t('replies.account'), to: '/admin/account' },
        { title: t('title'), to: '/admin/account?tab=assistant' },
        { title: t('replies.title') },
      ]}
      empty={{ title: t('replies.empty'), description: t('replies.emptyText') }}
      exportName="assistant-replies"
    />
  )
}

function replyColumns(t: TFunction<'settings'>, titleOf: (tool: string) => string): ListColumn<ReplyRow>[] {
  const known: readonly string[] = ASSISTANT_ENGINES
  const engineOf = (row: ReplyRow) =>
    row.model ?? (known.includes(row.engine) ? t(`engine.${row.engine as 'own'}`) : row.engine)
  const toolsOf = (row: ReplyRow) => row.tools.map(titleOf).join(t('replies.join'))
  const rated = (row: ReplyRow) => (row.rating === null ? '' : t(`replies.${row.rating}`))
  return [
    {
      key: 'at',
      title: t('replies.at'),
      width: 176,
      required: true,
      render: row => <TimeText value={row.at} mode="absolute" />,
      csv: row => formatDateTime(row.at),
    },
    {
      key: 'person',
      title: t('usage.person'),
      minWidth: 120,
      render: row => (
        <span className={css.cut} title={row.userName} dir="auto">
          {row.userName}
        </span>
      ),
      csv: row => row.userName,
    },
    {
      key: 'engine',
      title: t('replies.engine'),
      width: 150,
      rank: 4,
      render: row => (
        <span className={css.cut} title={engineOf(row)}>
          {engineOf(row)}
        </span>
      ),
      csv: engineOf,
    },
    {
      key: 'tools',
      title: t('replies.tools'),
      minWidth: 160,
      rank: 1,
      render: row => (
        <span className={css.cut} title={toolsOf(row)}>
          {toolsOf(row) || '–'}
        </span>
      ),
      csv: toolsOf,
    },
    {
      key: 'promptTokens',
      title: t('usage.prompt'),
      width: 104,
      align: 'right',
      render: row => formatNumber(row.promptTokens),
      csv: row => row.promptTokens,
    },
    {
      key: 'completionTokens',
      title: t('usage.completion'),
      width: 104,
      align: 'right',
      render: row => formatNumber(row.completionTokens),
      csv: row => row.completionTokens,
    },
    {
      key: 'cost',
      title: t('usage.cost'),
      width: 104,
      align: 'right',
      render: row => costText(row.costFen, formatMoney),
      csv: row => row.costFen / 100,
    },
    {
      key: 'duration',
      title: t('replies.duration'),
      width: 104,
      rank: 3,
      align: 'right',
      render: row => durationText(row.durationMs),
      csv: row => row.durationMs,
    },
    {
      key: 'state',
      title: t('replies.state'),
      width: 104,
      render: row => <StatusTag kind={SIGN[row.state]}>{t(`replies.states.${row.state}`)}</StatusTag>,
      csv: row => t(`replies.states.${row.state}`),
    },
    { key: 'rating', title: t('replies.rating'), width: 96, rank: 2, render: row => rated(row) || '–', csv: rated },
  ]
}

/** Most answers take less than some seconds: those are told in milliseconds. */
const durationText = (ms: number | null) =>
  ms === null ? '–' : ms < 10_000 ? formatNumber(ms, { unit: 'ms' }) : formatDuration(ms)
