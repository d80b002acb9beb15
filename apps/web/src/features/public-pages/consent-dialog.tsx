import { Alert, Button, Modal } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call, type Reply } from '../../lib/api-client.ts'
import { errorFacts, isSilent } from '../../lib/errors.ts'
import { formatDate } from '../../lib/format.ts'
import { notify } from '../../lib/notify.ts'
import css from './public-pages.module.css'

/** New versions to agree to; the texts open beside the console. */
export function ConsentDialog({ due, onClose }: { due: Reply<'consents.mine'>['due']; onClose: () => void }) {
  const { t } = useTranslation('public-pages')
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>(null)
  const agree = async () => {
    setBusy(true)
    setFailure(null)
    try {
      for (const { document, version } of due) await call('consents.give', { body: { document, version } })
      notify.success(t('terms.thanks'))
      onClose()
    } catch (error) {
      if (!isSilent(error)) setFailure(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Modal
      open
      width={480}
      title={t('terms.dueTitle')}
      onCancel={onClose}
      maskClosable={false}
      footer={
        <>
          <Button onClick={onClose}>{t('terms.later')}</Button>
          <Button type="primary" loading={busy} onClick={() => void agree()}>
            {t('terms.agree')}
          </Button>
        </>
      }
    >
      {failure !== null && <Alert type="error" showIcon role="alert" title={errorFacts(failure).message} />}
      <p>{t('terms.dueText')}</p>
      <ul className={css.dueList}>
        {due.map(({ document, version, agreedVersion }) => (
          <li key={document}>
            <a href={`/alonePage/TermsService#${document}`} target="_blank" rel="noreferrer">
              {t(`terms.document.${document}`, { defaultValue: document })}
            </a>{' '}
            {t('terms.dueVersions', { version: formatDate(version), before: formatDate(agreedVersion) })}
          </li>
        ))}
      </ul>
    </Modal>
  )
}
