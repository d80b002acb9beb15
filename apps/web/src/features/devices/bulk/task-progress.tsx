import type { TaskView } from '@thingwright/contracts/tasks.contract'
import { Alert, Progress } from 'antd'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../../lib/format.ts'
import css from './bulk.module.css'
import { useTaskFailures } from './use-task.ts'

/** How far a task is, and the parts that failed. */
export function TaskProgress({ task, itemTitle }: { task: TaskView; itemTitle: string }) {
  const { t } = useTranslation('bulk')
  const failures = useTaskFailures(task.id, task.failedCount)
  const percent = task.total ? Math.floor((task.done / task.total) * 100) : task.endedAt ? 100 : 0
  const status = task.state === 'failed' ? 'exception' : task.endedAt ? 'success' : 'active'
  return (
    <div className={css.stack}>
      <Progress
        percent={percent}
        aria-label={t('progress')}
        status={task.failedCount > 0 && status === 'success' ? 'normal' : status}
      />
      <p className={css.counts} role="status">
        {t('doneOf', { done: formatNumber(task.done), total: formatNumber(task.total ?? task.done) })}
        {task.failedCount > 0 && (
          <span className={css.bad}>{t('failedCount', { count: formatNumber(task.failedCount) as never })}</span>
        )}
        {!task.endedAt && <span className={css.hint}>{t('goesOn')}</span>}
      </p>
      {task.error && <Alert type="error" showIcon role="alert" title={task.error.message} />}
      {(failures.data?.items.length ?? 0) > 0 && (
        <div className={css.failures}>
          <table>
            <thead>
              <tr>
                <th scope="col">{itemTitle}</th>
                <th scope="col">{t('reason')}</th>
              </tr>
            </thead>
            <tbody>
              {failures.data?.items.map(({ n, item, message }) => (
                <tr key={n}>
                  <td>{item}</td>
                  <td>{message}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  )
}
