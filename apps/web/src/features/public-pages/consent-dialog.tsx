import { Alert, Button, Modal } from 'antd'
import { useTranslation } from 'react-i18next'
import { call, type Reply } from '../../lib/api-client.ts'
import { errorFacts } from '../../lib/errors.ts'
import { formatDate } from '../../lib/format.ts'
import { notify } from '../../lib/notify.ts'
import { useWork } from '../../lib/server-state/use-work.ts'
import css from './public-pages.module.css'

/** New versions to agree to; the texts open beside the console. */
export function ConsentDialog({ due, onClose }: { due: Reply<'consents.mine'>['due']; onClose: () => void }) {
  const { t } = useTranslation('public-pages')
  const { attempt, pending: busy, error: failure } = useWork({ notice: false })
  const agree = () =>
    attempt(async () => {
      for (const { document, version } of due) await call('consents.give', { body: { document, version } })
      notify.success(t('terms.thanks'))
      onClose()
    })
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
