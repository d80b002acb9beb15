import type { AuditVerification } from '@thingwright/contracts/audit.contract'
import type { TaskView } from '@thingwright/contracts/tasks.contract'
import { Alert, Button, Drawer, Progress, Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import { call } from '../../../lib/api-client.ts'
import { formatDate, formatNumber } from '../../../lib/format.ts'
import { useCache } from '../../../lib/server-state/cache.ts'
import { only } from '../../../lib/server-state/keys.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { useWork } from '../../../lib/server-state/use-work.ts'
import { CopyId } from '../../../ui/copy-id.tsx'
import { Facts } from '../../../ui/panel.tsx'
import { ErrorState } from '../../../ui/states.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import css from '../audit.module.css'

const LAST = { query: { of: 'company', kind: 'audit.verify', limit: 1 } } as const
const ASK_EVERY_MS = 1000

const isOpen = (task: TaskView | null | undefined) => task?.state === 'queued' || task?.state === 'running'

/** The chain over the operation log: its end, a verification on demand with its result, the checkpoint of every day. */
export function ChainDrawer({ onClose, onLine }: { onClose: () => void; onLine: (id: string) => void }) {
  const { t } = useTranslation('audit')
  const cache = useCache()
  const { attempt, pending: starting } = useWork()
  const chain = useRead('audit.chain')
  const last = useRead('tasks.list', LAST, {
    refetchInterval: query => (isOpen(query.state.data?.items[0]) ? ASK_EVERY_MS : false),
    select: reply => reply.items[0] ?? null,
  })
  const task = last.data ?? null
  const verify = async () => {
    await attempt(async () => {
      const { taskId } = await call('audit.verify')
      const task = await call('tasks.get', { params: { id: taskId } })
      // A look that began before there was this task would put an older one, or none, in its place.
      await cache.stop(only('tasks.list', LAST))
      cache.put('tasks.list', LAST, { items: [task], nextCursor: null })
      await cache.touch('audit.chain')
    })
  }
  const facts = chain.data
  return (
    <Drawer
      open
      size={560}
      title={t('verify.title')}
      onClose={onClose}
      extra={
        <Button type="primary" loading={starting || isOpen(task)} onClick={() => void verify()} data-testid="verify">
          {t('verify.start')}
        </Button>
      }
    >
      {chain.isError ? (
        <ErrorState error={chain.error} onRetry={() => void chain.refetch()} />
      ) : facts === undefined ? (
        <Skeleton active paragraph={{ rows: 8 }} />
      ) : (
        <div className={css.stack}>
          <p className={css.lead}>{t('verify.lead')}</p>
          <p className={css.lead} data-testid="verify-limits">
            {t('verify.limits')}
          </p>
          {task && <Outcome task={task} onLine={onLine} />}
          <Facts
            items={[
              { label: t('verify.lines'), value: formatNumber(facts.seq) },
              { label: t('verify.pending'), value: formatNumber(facts.pending) },
              { label: t('verify.linkedAt'), value: <TimeText value={facts.linkedAt} /> },
              { label: t('verify.retention'), value: t('verify.days', { count: facts.retentionDays }) },
              ...(facts.cutAt === null ? [] : [{ label: t('verify.cut'), value: formatNumber(facts.cutAt) }]),
              { label: t('verify.head'), wide: true, value: facts.head ? <CopyId value={facts.head} /> : '–' },
            ]}
          />
          <section>
            <h3 className={css.subtitle}>{t('verify.checkpoints')}</h3>
            <p className={css.lead}>{t('verify.checkpointsText')}</p>
            {facts.checkpoints.length === 0 ? (
              <p className={css.none}>{t('verify.noCheckpoints')}</p>
            ) : (
              <ul className={css.checkpoints}>
                {facts.checkpoints.map(mark => (
                  <li key={mark.seq}>
                    <span>{formatDate(mark.at)}</span>
                    <span className={css.number}>#{formatNumber(mark.seq)}</span>
                    <CopyId value={mark.hash} />
                  </li>
                ))}
              </ul>
            )}
          </section>
        </div>
      )}
    </Drawer>
  )
}

function Outcome({ task, onLine }: { task: TaskView; onLine: (id: string) => void }) {
  const { t } = useTranslation('audit')
  if (isOpen(task))
    return (
      <div data-testid="verification" data-state="running">
        <Progress percent={task.total ? Math.floor((task.done / task.total) * 100) : 0} status="active" />
      </div>
    )
  const found = task.summary as unknown as AuditVerification | null
  if ((task.state !== 'succeeded' && task.state !== 'partial') || found === null)
    return <Alert type="warning" showIcon title={t('verify.unfinished')} description={task.error?.message} />
  const when = <TimeText value={task.endedAt} />
  if (found.ok)
    return (
      <div data-testid="verification" data-state="ok">
        <Alert
          type="success"
          showIcon
          title={t('verify.ok')}
          description={
            <>
              {t('verify.okText', {
                checked: formatNumber(found.checked),
                from: formatNumber(found.from),
                to: formatNumber(found.to),
                name: task.ownerName,
              })}{' '}
              {found.earlier
                ? `${t('verify.earlier', { count: found.earlier, lines: formatNumber(found.earlier) })} `
                : ''}
              {when}
            </>
          }
        />
      </div>
    )
  // Without the key nothing can be said of anybody.
  const otherKey = found.problems.every(({ code }) => code === 'audit.key_changed')
  return (
    <div data-testid="verification" data-state="broken">
      <Alert
        type="error"
        showIcon
        title={t(otherKey ? 'verify.otherKey' : 'verify.broken')}
        description={
          <>
            <p>
              {t('verify.brokenText', { name: task.ownerName })} {when}
            </p>
            <ul className={css.problems}>
              {found.problems.map((problem, index) => (
                <li key={index}>
                  {problem.seq !== null
                    ? t('linkPlace', { seq: formatNumber(problem.seq) })
                    : problem.auditId !== null && t('verify.beside')}{' '}
                  {t(`problem.${problem.code.split('.')[1]}` as never)}
                  {problem.auditId !== null && problem.code !== 'audit.line_missing' && (
                    <Button type="link" size="small" onClick={() => onLine(problem.auditId ?? '')}>
                      {t('details')}
                    </Button>
                  )}
                </li>
              ))}
            </ul>
          </>
        }
      />
    </div>
  )
}
