import { DownloadOutlined } from '@ant-design/icons'
import { Button, Drawer } from 'antd'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { download } from '../../../lib/api-client.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useWork } from '../../../lib/server-state/use-work.ts'
import css from './bulk.module.css'
import { TaskProgress } from './task-progress.tsx'
import { useTask } from './use-task.ts'

/** A batch while it runs and when it has ended: failures as a file, another try for these. It goes on without this drawer. */
export function BatchDrawer({
  title,
  started,
  onChanged,
  onClose,
}: {
  title: string
  started: { id: string; taskId: string }
  onChanged: () => void
  onClose: () => void
}) {
  const { t } = useTranslation('bulk')
  const [batch, setBatch] = useState(started)
  const task = useTask(batch.taskId)
  const { data } = task
  const ended = Boolean(data?.endedAt)
  const told = useRef(onChanged)
  told.current = onChanged
  useEffect(() => {
    if (ended) told.current()
  }, [ended])
  const cancel = useAct('tasks.cancel')
  const retry = useAct('deviceBatches.retry', { done: setBatch })
  const { attempt } = useWork()
  return (
    <Drawer
      open
      size={560}
      title={title}
      onClose={onClose}
      footer={
        <div className={css.foot}>
          {data && !ended && (
            <Button
              danger
              disabled={data.cancelRequested}
              onClick={() => void cancel.run({ params: { id: batch.taskId } })}
            >
              {t('stop')}
            </Button>
          )}
          {ended && (data?.failedCount ?? 0) > 0 && (
            <>
              <Button
                icon={<DownloadOutlined aria-hidden />}
                onClick={() =>
                  void attempt(() =>
                    download('tasks.exportFailures', 'failures.csv', {
                      params: { id: batch.taskId },
                      query: { format: 'csv' },
                    }),
                  )
                }
              >
                {t('failuresFile')}
              </Button>
              <Button onClick={() => void retry.run({ params: { id: batch.id } })}>{t('retryFailed')}</Button>
            </>
          )}
          <Button type="primary" onClick={onClose}>
            {ended ? t('close') : t('background')}
          </Button>
        </div>
      }
    >
      {data ? <TaskProgress task={data} itemTitle={t('device')} /> : <div className={css.bone} />}
    </Drawer>
  )
}
