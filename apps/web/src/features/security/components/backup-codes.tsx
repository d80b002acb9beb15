import { Alert, Button, Modal } from 'antd'
import { useTranslation } from 'react-i18next'
import { notify } from '../../../lib/notify.ts'
import { copyText } from '../../../ui/copy.ts'
import css from '../security.module.css'

/** The backup codes, the only time they are shown. */
export function BackupCodesDialog({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const { t } = useTranslation('security')
  const save = () => {
    const url = URL.createObjectURL(new Blob([`${codes.join('\n')}\n`], { type: 'text/plain' }))
    const anchor = document.createElement('a')
    anchor.href = url
    anchor.download = 'thingwright-backup-codes.txt'
    anchor.click()
    setTimeout(() => URL.revokeObjectURL(url), 10_000)
  }
  return (
    <Modal
      open
      title={t('backup.title')}
      onCancel={onClose}
      maskClosable={false}
      footer={
        <>
          <Button
            onClick={async () => {
              if (await copyText(codes.join('\n'))) notify.success(t('copied'))
            }}
          >
            {t('copy')}
          </Button>
          <Button onClick={save}>{t('backup.save')}</Button>
          <Button type="primary" onClick={onClose}>
            {t('backup.kept')}
          </Button>
        </>
      }
    >
      <Alert type="warning" showIcon title={t('backup.once')} />
      <ol className={css.codes} data-testid="backup-codes">
        {codes.map(code => (
          <li key={code}>{code}</li>
        ))}
      </ol>
    </Modal>
  )
}
