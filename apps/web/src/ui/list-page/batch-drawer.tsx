import { Button, Drawer, Progress } from 'antd'
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorFacts } from '../../lib/errors.ts'
import { StatusTag } from '../status-tag.tsx'
import { type BatchItem, type BatchProgress, runBatch } from './batch-run.ts'
import { DataTable } from './data-table.tsx'
import type { ListColumn } from './list-types.ts'

export interface BatchJob<T> {
  title: string
  rows: T[]
  work: (row: T) => Promise<unknown>
}

const KIND = {
  waiting: 'neutral',
  running: 'processing',
  done: 'success',
  failed: 'error',
  cancelled: 'disabled',
} as const

/**
 * Runs a batch where it can be watched: progress of each thing, failures with their reasons, cancel, and another try
 * for what failed or was left.
 */
export function BatchDrawer<T>({
  job,
  rowKey,
  name,
  onChanged,
  onClose,
}: {
  job: BatchJob<T>
  rowKey: (row: T) => string
  name: (row: T) => ReactNode
  /** The list should be read again: called at the end of each run. */
  onChanged: () => void
  onClose: () => void
}) {
  const { t } = useTranslation('list-page')
  const [progress, setProgress] = useState<BatchProgress<T> | null>(null)
  const abort = useRef<AbortController | null>(null)
  const changed = useRef(onChanged)
  changed.current = onChanged
  const run = useRef(async (rows: readonly T[], work: (row: T) => Promise<unknown>) => {
    const controller = new AbortController()
    abort.current = controller
    await runBatch(rows, work, setProgress, controller.signal)
    changed.current()
  })
  useEffect(() => {
    void run.current(job.rows, job.work)
    return () => abort.current?.abort()
  }, [job])
  const items = progress?.items ?? job.rows.map((row): BatchItem<T> => ({ row, state: 'waiting' }))
  const ended = progress?.finished ?? false
  const left = items.filter(item => item.state === 'failed' || item.state === 'cancelled')
  const over = (progress?.done ?? 0) + (progress?.failed ?? 0)
  const columns = useMemo<ListColumn<BatchItem<T>>[]>(
    () => [
      { key: 'name', title: t('batchName'), render: item => name(item.row) },
      {
        key: 'state',
        title: t('batchState'),
        width: 96,
        render: item => <StatusTag kind={KIND[item.state]}>{t(`batch.${item.state}`)}</StatusTag>,
      },
      {
        key: 'why',
        title: t('batchReason'),
        width: 232,
        render: item =>
          item.error === undefined ? (
            ''
          ) : (
            <span title={errorFacts(item.error).message}>{errorFacts(item.error).message}</span>
          ),
      },
    ],
    [t, name],
  )
  return (
    <Drawer
      open
      size={640}
      title={job.title}
      onClose={onClose}
      maskClosable={ended}
      footer={
        <div style={{ display: 'flex', gap: 8, justifyContent: 'flex-end' }}>
          {!ended && (
            <Button danger onClick={() => abort.current?.abort()}>
              {t('batchStop')}
            </Button>
          )}
          {ended && left.length > 0 && (
            <Button
              onClick={() =>
                void run.current(
                  left.map(item => item.row),
                  job.work,
                )
              }
            >
              {t('batchAgain', { count: left.length })}
            </Button>
          )}
          <Button type={ended ? 'primary' : 'default'} disabled={!ended} onClick={onClose}>
            {t('close')}
          </Button>
        </div>
      }
    >
      <Progress
        percent={items.length === 0 ? 100 : Math.round((over / items.length) * 100)}
        status={ended ? (progress && progress.failed > 0 ? 'exception' : 'success') : 'active'}
      />
      <p aria-live="polite">
        {t('batchSummary', { done: progress?.done ?? 0, failed: progress?.failed ?? 0, total: items.length })}
      </p>
      <DataTable
        label={job.title}
        columns={columns}
        rows={ended && left.length > 0 ? [...left, ...items.filter(item => !left.includes(item))] : items}
        rowKey={item => rowKey(item.row)}
        density="dense"
      />
    </Drawer>
  )
}
