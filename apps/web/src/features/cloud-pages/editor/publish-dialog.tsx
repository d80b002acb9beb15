import { Alert, Input, Modal } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '../../../lib/api/api-error.ts'
import type { Reply } from '../../../lib/api-client.ts'
import { errorFacts } from '../../../lib/errors.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { CopyId } from '../../../ui/copy-id.tsx'
import { listed } from '../hooks.ts'

type Page = Reply<'cloudPages.publish'>

/** Publishes the draft; then says where it is and who sees it. */
export function PublishDialog({
  page,
  beforehand,
  unfinished,
  onPublished,
  onClose,
}: {
  page: Page
  /** Elements with entries that are not filled in: those are not on the page. */
  unfinished: readonly string[]
  beforehand(): Promise<boolean>
  onPublished(page: Page): void
  onClose(): void
}) {
  const { t } = useTranslation('cloud-pages')
  const [note, setNote] = useState('')
  const publish = useAct('cloudPages.publish', { notice: false, done: onPublished })
  const done = publish.reply
  const address = `${window.location.origin}/page/${page.suffix}`
  const run = async () => {
    if (await beforehand()) await publish.run({ params: { id: page.id }, body: { note } })
  }
  const { error } = publish
  return (
    <Modal
      open
      width={480}
      title={done ? t('publishedTitle', { no: done.publishedNo }) : t('publishTitle')}
      okText={done ? t('visit') : t('publish')}
      cancelText={done ? t('close') : t('cancel')}
      okButtonProps={{ loading: publish.pending }}
      onOk={() => {
        if (done) window.open(`/page/${page.suffix}`, '_blank', 'noopener')
        else void run()
      }}
      onCancel={onClose}
    >
      {done ? (
        <>
          <p>{t('publishedText', { visibility: t(`visibilities.${page.visibility}`) })}</p>
          <CopyId value={address} />
        </>
      ) : (
        <>
          <p>
            {t('publishText', { address: `page/${page.suffix}`, visibility: t(`visibilities.${page.visibility}`) })}
          </p>
          <Input
            placeholder={t('noteHelp')}
            aria-label={t('noteHelp')}
            maxLength={200}
            value={note}
            onChange={event => setNote(event.target.value)}
          />
          {unfinished.length > 0 && (
            <Alert
              style={{ marginTop: 12 }}
              type="warning"
              showIcon
              title={t('unfinishedTitle')}
              description={listed(unfinished)}
            />
          )}
          {error !== null && (
            <Alert
              style={{ marginTop: 12 }}
              type="error"
              showIcon
              role="alert"
              title={errorFacts(error).message}
              description={
                error instanceof ApiError
                  ? Object.values(error.fields ?? {}).map(field => <div key={field.message}>{field.message}</div>)
                  : null
              }
            />
          )}
        </>
      )}
    </Modal>
  )
}
