import { Alert, Modal } from 'antd'
import { useTranslation } from 'react-i18next'
import { call } from '../../../lib/api-client.ts'
import { errorFacts } from '../../../lib/errors.ts'
import { formatNumber } from '../../../lib/format.ts'
import { notify } from '../../../lib/notify.ts'
import { useWork } from '../../../lib/server-state/use-work.ts'
import { CopyId } from '../../../ui/copy-id.tsx'

/** What is asked about one page or several. */
export interface PageAsk {
  action: 'withdraw' | 'remove'
  ids: readonly string[]
  /** Of the page, when it is one. */
  name?: string
}

/** Ids of one request. */
const AT_ONCE = 100

/** Says what follows, then does it; those that refused are counted with the reason. */
export function PageDialog({ ask, onClose }: { ask: PageAsk; onClose: () => void }) {
  const { t } = useTranslation('cloud-pages')
  const { action, ids } = ask
  const { attempt, pending, error } = useWork({ touches: ['cloudPages'], notice: false })
  const facts = error === null ? null : errorFacts(error)
  const what = ask.name ?? t('pagesCount', { count: ids.length, text: formatNumber(ids.length) })
  const run = () =>
    attempt(async () => {
      let done = 0
      const failed: { message: string }[] = []
      for (let at = 0; at < ids.length; at += AT_ONCE) {
        const reply = await call('cloudPages.batch', { body: { action, ids: ids.slice(at, at + AT_ONCE) } })
        done += reply.done
        failed.push(...reply.failed)
      }
      if (failed.length > 0)
        notify.warning(
          t('partly', { done: formatNumber(done), failed: formatNumber(failed.length), why: failed[0]!.message }),
        )
      else notify.success(t(`did.${action}`, { count: done, text: formatNumber(done) }))
      onClose()
    })
  return (
    <Modal
      open
      width={480}
      title={t(`ask.${action}`, { what })}
      okText={t(action)}
      cancelText={t('cancel')}
      okButtonProps={{ danger: true, loading: pending }}
      onOk={() => void run()}
      onCancel={onClose}
    >
      <p>{t(`askText.${action}`)}</p>
      {facts && (
        <Alert
          type="error"
          showIcon
          role="alert"
          title={facts.message}
          description={<CopyId value={facts.requestId ? `${facts.code} · ${facts.requestId}` : facts.code} />}
        />
      )}
    </Modal>
  )
}
