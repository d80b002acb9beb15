import { Button, Modal, Progress } from 'antd'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorFacts, isSilent } from '../../lib/errors.ts'
import { formatNumber } from '../../lib/format.ts'
import { collectPages } from './collect-pages.ts'
import { csvLine, saveFile } from './csv.ts'
import css from './list-page.module.css'
import type { FetchPage, ListColumn, ListInput } from './list-types.ts'

const MAX_ROWS = 100_000

type State =
  | { kind: 'running'; done: number; total: number | null }
  | { kind: 'done'; done: number; cut: boolean }
  | { kind: 'failed'; message: string }

/** Fetches everything the filters show, page by page, and saves it as CSV; can be cancelled at any time. */
export function ExportDialog<T>({
  fileName,
  fetchPage,
  input,
  columns,
  onClose,
}: {
  fileName: string
  fetchPage: FetchPage<T>
  input: ListInput
  columns: readonly ListColumn<T>[]
  onClose: () => void
}) {
  const { t } = useTranslation('list-page')
  const [state, setState] = useState<State>({ kind: 'running', done: 0, total: null })
  const given = useRef({ fileName, fetchPage, input, columns })
  useEffect(() => {
    const abort = new AbortController()
    const job = given.current
    const written = job.columns.filter(column => column.csv !== undefined)
    const parts: string[] = ['\ufeff', csvLine(written.map(column => column.title))]
    collectPages(job.fetchPage, job.input, {
      signal: abort.signal,
      max: MAX_ROWS,
      onPage: (rows, progress) => {
        parts.push(rows.map(row => csvLine(written.map(column => column.csv?.(row)))).join(''))
        setState({ kind: 'running', ...progress })
      },
    }).then(
      ({ cut }) => {
        saveFile(job.fileName, parts, 'text/csv;charset=utf-8')
        setState(before => ({ kind: 'done', done: before.kind === 'running' ? before.done : 0, cut }))
      },
      error => {
        if (!abort.signal.aborted && !isSilent(error)) setState({ kind: 'failed', message: errorFacts(error).message })
      },
    )
    return () => abort.abort()
  }, [])
  const percent =
    state.kind === 'done'
      ? 100
      : state.kind === 'running' && state.total
        ? Math.min(99, Math.round((state.done / Math.min(state.total, MAX_ROWS)) * 100))
        : 0
  return (
    <Modal
      open
      title={t('exportTitle')}
      onCancel={onClose}
      maskClosable={false}
      width={420}
      footer={<Button onClick={onClose}>{state.kind === 'running' ? t('cancel') : t('close')}</Button>}
    >
      <div className={css.export} aria-live="polite">
        <Progress
          percent={percent}
          status={state.kind === 'failed' ? 'exception' : state.kind === 'done' ? 'success' : 'active'}
        />
        <span>
          {state.kind === 'running' &&
            (state.total === null
              ? t('exportRunning', { done: formatNumber(state.done) })
              : t('exportProgress', { done: formatNumber(state.done), total: formatNumber(state.total) }))}
          {state.kind === 'done' && t('exportDone', { count: formatNumber(state.done) as unknown as number })}
          {state.kind === 'done' && state.cut && ` ${t('exportCut', { max: formatNumber(MAX_ROWS) })}`}
          {state.kind === 'failed' && t('exportFailed', { message: state.message })}
        </span>
      </div>
    </Modal>
  )
}
