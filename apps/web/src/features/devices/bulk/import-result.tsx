import type { TaskView } from '@thingwright/contracts/tasks.contract'
import { Alert, Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { download } from '../../../lib/api-client.ts'
import { formatNumber } from '../../../lib/format.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { useWork } from '../../../lib/server-state/use-work.ts'
import { PermissionGate } from '../../../ui/permission-gate.tsx'
import css from './bulk.module.css'
import { TaskProgress } from './task-progress.tsx'

const FACTS = ['created', 'updated', 'skipped', 'groups', 'values', 'usersIgnored'] as const

/** How a trial or an import goes and what came of it; secrets of new devices are handed out once. */
export function ImportResult({ task, run }: { task: TaskView; run: { id: string; dryRun: boolean } }) {
  const { attempt } = useWork()
  const { t } = useTranslation('bulk')
  const summary = task.summary as Partial<Record<(typeof FACTS)[number], number>> | null
  const [taken, setTaken] = useState(false)
  const made = useRead(
    'deviceImports.get',
    { params: { id: run.id } },
    { about: task.endedAt, enabled: !run.dryRun && task.endedAt !== null },
  )
  const take = async () => {
    await attempt(async () => {
      await download('deviceImports.secrets', 'device-secrets.csv', { params: { id: run.id } })
      setTaken(true)
    })
  }
  return (
    <>
      {task.endedAt && summary && (
        <>
          <Alert
            type={task.failedCount > 0 ? 'warning' : 'success'}
            showIcon
            title={t(run.dryRun ? 'trialDone' : 'importDone', { failed: formatNumber(task.failedCount) })}
          />
          <dl className={css.facts}>
            {FACTS.filter(fact => fact === 'created' || (summary[fact] ?? 0) > 0).map(fact => (
              <div key={fact}>
                <dt>{t(`fact.${fact}`)}</dt>
                <dd>{formatNumber(summary[fact] ?? 0)}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
      {made.data?.secretsWaiting && !taken && (
        <Alert
          type="info"
          showIcon
          title={t('secretsTitle')}
          description={t('secretsText')}
          action={
            <PermissionGate of="deviceImports.secrets">
              <Button onClick={() => void take()}>{t('secretsTake')}</Button>
            </PermissionGate>
          }
        />
      )}
      <TaskProgress task={task} itemTitle={t('line')} />
    </>
  )
}
