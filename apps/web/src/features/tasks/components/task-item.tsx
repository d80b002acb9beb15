import type { TaskFailure, TaskView } from '@thingwright/contracts/tasks.contract'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { download } from '../../../lib/api-client.ts'
import { formatNumber } from '../../../lib/format.ts'
import { locale } from '../../../lib/i18n.ts'
import { useMay } from '../../../lib/permissions.ts'
import { personName } from '../../../lib/person-name.ts'
import { serverNow } from '../../../lib/server-clock.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useWork } from '../../../lib/server-state/use-work.ts'
import { useSession } from '../../../lib/session.ts'
import { type StatusKind, StatusTag } from '../../../ui/status-tag.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { isOpen, type TaskProgress } from '../open-tasks.ts'
import { timeLeft } from '../time-left.ts'
import css from './task-drawer.module.css'

const SIGN: Record<TaskView['state'], StatusKind> = {
  queued: 'neutral',
  running: 'processing',
  succeeded: 'success',
  partial: 'warning',
  failed: 'error',
  cancelled: 'disabled',
}

export function TaskItem({
  task,
  live,
  showOwner,
  onChanged,
  onReload,
}: {
  task: TaskView
  /** What the live topic tells; null for a task that has ended or is somebody else's. */
  live: TaskProgress | null
  showOwner: boolean
  onChanged: (task: TaskView) => void
  onReload: () => void
}) {
  const { t } = useTranslation('tasks')
  const cancel = useAct('tasks.cancel', { done: onChanged })
  const retry = useAct('tasks.retry', { done: onReload })
  const { attempt, pending } = useWork()
  const busy = pending || cancel.pending || retry.pending
  const me = useSession(s => s.me?.id)
  const mayCancelOthers = useMay('transfer.import')
  const own = me !== undefined && task.ownerId === me
  const now = isOpen(task.state) && live ? { ...task, ...live } : task
  const title = task.title[locale()]
  const share = now.total ? Math.min(1, now.done / now.total) : null
  const left = now.state === 'running' ? timeLeft(now, serverNow()) : null
  const params = { id: task.id }
  return (
    <li className={css.item} data-testid="task" data-state={now.state} data-failed={now.failedCount}>
      <div className={css.line}>
        <b className={css.title} title={title}>
          {title}
        </b>
        <StatusTag kind={SIGN[now.state]}>{t(`state.${now.state}`)}</StatusTag>
      </div>
      {isOpen(now.state) && (
        <div
          className={css.bar}
          data-unknown={now.state === 'running' && share === null}
          role="progressbar"
          aria-label={title}
          aria-valuemin={0}
          aria-valuemax={100}
          {...(share === null ? {} : { 'aria-valuenow': Math.round(share * 100) })}
        >
          <span style={{ width: `${Math.round((share ?? 0) * 100)}%` }} />
        </div>
      )}
      <p className={css.facts}>
        {(now.done > 0 || now.total !== null) && (
          <span>
            {now.total === null
              ? t('done', { done: formatNumber(now.done) })
              : t('doneOf', { done: formatNumber(now.done), total: formatNumber(now.total) })}
          </span>
        )}
        {left !== null && <span>{t('left', { text: t(`unit.${left.unit}`, { count: left.count }) })}</span>}
        {now.cancelRequested && now.state === 'running' && <span>{t('stopping')}</span>}
        {showOwner && <span>{personName(task.ownerName)}</span>}
        <TimeText value={task.endedAt ?? task.startedAt ?? task.createdAt} />
      </p>
      {task.error && <p className={css.problem}>{task.error.message}</p>}
      {now.failedCount > 0 && <Failures task={task} count={now.failedCount} />}
      <div className={css.actions}>
        {task.file && own && (
          <button
            type="button"
            className={css.action}
            disabled={busy}
            onClick={() => void attempt(() => download('tasks.download', task.file?.name ?? '', { params }))}
          >
            {t('download', { name: task.file.name })}
          </button>
        )}
        {isOpen(now.state) && !now.cancelRequested && (own || mayCancelOthers) && (
          <button type="button" className={css.action} disabled={busy} onClick={() => void cancel.run({ params })}>
            {t('cancel')}
          </button>
        )}
        {(now.state === 'failed' || now.state === 'cancelled') && own && (
          <button type="button" className={css.action} disabled={busy} onClick={() => void retry.run({ params })}>
            {t('retry')}
          </button>
        )}
      </div>
    </li>
  )
}

const SHOWN = 20

/** The first failed parts, when asked for; all that are kept as a file. */
function Failures({ task, count }: { task: TaskView; count: number }) {
  const { t } = useTranslation('tasks')
  const [items, setItems] = useState<TaskFailure[] | null>(null)
  const read = useAct('tasks.failures', { own: false, done: reply => setItems(reply.items) })
  const { attempt } = useWork()
  const params = { id: task.id }
  const save = (format: 'csv' | 'xlsx') =>
    attempt(() => download('tasks.exportFailures', `${task.title[locale()]}.${format}`, { params, query: { format } }))
  return (
    <details
      className={css.failures}
      onToggle={event => event.currentTarget.open && void read.run({ params, query: { limit: SHOWN } })}
    >
      <summary>{t('failures', { count: formatNumber(count) as unknown as number })}</summary>
      {items && (
        <>
          <ul>
            {items.map(failure => (
              <li key={failure.n}>
                <b title={failure.item}>{failure.item}</b>
                <span>{failure.message}</span>
              </li>
            ))}
          </ul>
          {count > items.length && <p className={css.facts}>{t('firstOnly', { shown: items.length })}</p>}
          <div className={css.actions}>
            <button type="button" className={css.action} onClick={() => void save('csv')}>
              CSV
            </button>
            <button type="button" className={css.action} onClick={() => void save('xlsx')}>
              XLSX
            </button>
          </div>
        </>
      )}
    </details>
  )
}
