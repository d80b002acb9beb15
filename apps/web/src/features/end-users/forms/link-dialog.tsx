import { Modal } from 'antd'
import { useTranslation } from 'react-i18next'
import { CopyButton } from '../../../ui/copy-id.tsx'
import css from '../end-users.module.css'

/** The link that sets a password: shown once, to be handed to the end user. */
export function LinkDialog({
  name,
  link,
  sentTo,
  onClose,
}: {
  name: string
  link: string
  sentTo: string | null
  onClose: () => void
}) {
  const { t } = useTranslation('end-users')
  return (
    <Modal
      open
      width={560}
      title={t('linkTitle', { name })}
      okText={t('done')}
      onOk={onClose}
      onCancel={onClose}
      cancelButtonProps={{ style: { display: 'none' } }}
    >
      <p>{sentTo ? t('linkSent', { address: sentTo }) : t('linkText')}</p>
      <p className={css.link}>
        <code data-testid="invite-link">{link}</code>
        <CopyButton value={link} />
      </p>
    </Modal>
  )
}
