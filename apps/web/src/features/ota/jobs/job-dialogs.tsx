import { useTranslation } from 'react-i18next'
import { type Body, call } from '../../../lib/api-client.ts'
import { formatNumber } from '../../../lib/format.ts'
import { notify } from '../../../lib/notify.ts'
import { useWork } from '../../../lib/server-state/use-work.ts'
import { Confirm } from '../components/confirm.tsx'
import { FIRMWARE } from '../hooks.ts'

export type JobAction = 'confirm' | 'reject' | 'retry' | 'refresh' | 'cancel'

/** What is asked about some updates: chosen ones, or all that fit a filter. */
export interface JobsAsk {
  action: JobAction
  ids?: string[]
  filter?: Record<string, string>
  count: number
  /** Of the device, when it is one. */
  name?: string
}

/** Ids of one request. */
const AT_ONCE = 1000

/** Says what an action does to how many devices, then does it; those that it does not fit are counted. */
export function JobsDialog({ ask, onClose }: { ask: JobsAsk; onClose: () => void }) {
  const { t } = useTranslation('ota')
  const { action, count } = ask
  const what = ask.name ?? t('devicesCount', { count, text: formatNumber(count) })
  const work = useWork({ touches: FIRMWARE })
  const send = (body: Omit<Body<'otaJobs.batch'>, 'action'>) => call('otaJobs.batch', { body: { action, ...body } })
  return (
    <Confirm
      title={t(`job.${action}.title`, { what })}
      okText={t(`job.${action}.action`)}
      danger={action === 'cancel' || action === 'reject'}
      onClose={onClose}
      onOk={async () => {
        const sum = { changed: 0, skipped: 0 }
        const add = (done: { changed: number; skipped: number }) => {
          sum.changed += done.changed
          sum.skipped += done.skipped
        }
        await work.send(async () => {
          if (ask.filter) add(await send({ filter: ask.filter }))
          else
            for (let at = 0; at < (ask.ids?.length ?? 0); at += AT_ONCE)
              add(await send({ ids: ask.ids?.slice(at, at + AT_ONCE) ?? [] }))
        })
        const words = { changed: formatNumber(sum.changed), skipped: formatNumber(sum.skipped) }
        if (sum.changed === 0) notify.warning(t('jobsNone', words))
        else notify.success(t(sum.skipped > 0 ? 'jobsPartly' : 'jobsDone', words))
        onClose()
      }}
    >
      <p>{t(`job.${action}.text`)}</p>
    </Confirm>
  )
}
