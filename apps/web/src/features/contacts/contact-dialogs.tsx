import type { ContactView } from '@thingwright/contracts/contacts.contract'
import { Alert, Input, Modal } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorFacts } from '../../lib/errors.ts'
import { notify } from '../../lib/notify.ts'
import { useAct } from '../../lib/server-state/use-act.ts'

interface DialogProps {
  contact: ContactView
  onClose: () => void
}

/** Takes the code that was sent to a contact. */
export function VerifyDialog({ contact, to, onClose }: DialogProps & { to: 'email' | 'phone' }) {
  const { t } = useTranslation('contacts')
  const [code, setCode] = useState('')
  const verify = useAct('contacts.verify', {
    always: true,
    notice: false,
    done: () => {
      notify.success(t('verified'))
      onClose()
    },
  })
  return (
    <Modal
      open
      width={420}
      title={t('verifyTitle')}
      okText={t('verify')}
      cancelText={t('cancel')}
      okButtonProps={{ loading: verify.pending, disabled: !/^\d{6}$/.test(code) }}
      onOk={() => void verify.run({ params: { id: contact.id }, body: { code, to } })}
      onCancel={onClose}
    >
      {verify.error !== null && <Alert type="error" showIcon role="alert" title={errorFacts(verify.error).message} />}
      <p dir="auto">{t('verifyText', { email: contact[to] ?? '' })}</p>
      <Input.OTP aria-label={t('code')} length={6} value={code} onChange={setCode} />
    </Modal>
  )
}

export function RemoveDialog({ contact, onClose }: DialogProps) {
  const { t } = useTranslation('contacts')
  const remove = useAct('contacts.remove', {
    always: true,
    notice: false,
    done: () => {
      notify.success(t('removed'))
      onClose()
    },
  })
  return (
    <Modal
      open
      width={420}
      title={t('removeTitle')}
      okText={t('remove')}
      cancelText={t('cancel')}
      okButtonProps={{ danger: true, loading: remove.pending }}
      onOk={() => void remove.run({ params: { id: contact.id } })}
      onCancel={onClose}
    >
      {remove.error !== null && <Alert type="error" showIcon role="alert" title={errorFacts(remove.error).message} />}
      <p dir="auto">{t('removeText', { name: contact.name })}</p>
    </Modal>
  )
}
