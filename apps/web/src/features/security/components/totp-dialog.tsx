import { Button, Input, Modal } from 'antd'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../../lib/api-client.ts'
import { errorFacts, isSilent } from '../../../lib/errors.ts'
import { QrCode } from '../../../ui/qr-code.tsx'
import { SecretText } from '../../../ui/secret-text.tsx'
import css from '../security.module.css'

/** Binds an authenticator app: scan, then prove it with a code. */
export function TotpDialog({
  begun,
  onDone,
  onClose,
}: {
  begun: { secret: string; uri: string }
  onDone: (backupCodes: readonly string[] | null) => void
  onClose: () => void
}) {
  const { t } = useTranslation('security')
  const [code, setCode] = useState('')
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!/^\d{6}$/.test(code)) {
      setFailure(t('sixDigits'))
      return
    }
    setBusy(true)
    try {
      onDone((await call('security.totpConfirm', { body: { code } })).backupCodes)
    } catch (error) {
      if (!isSilent(error)) setFailure(errorFacts(error).message)
      setBusy(false)
    }
  }
  return (
    <Modal open title={t('totp.title')} onCancel={onClose} footer={null} maskClosable={false}>
      <p className={css.lead}>{t('totp.scan')}</p>
      <div className={css.qr}>
        <QrCode value={begun.uri} label={t('totp.qr')} size={184} />
        <SecretText value={begun.secret} />
      </div>
      <form onSubmit={event => void submit(event)} noValidate>
        <label htmlFor="totp-code">{t('totp.code')}</label>
        <Input
          id="totp-code"
          autoFocus
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={6}
          value={code}
          {...(failure ? { status: 'error' as const } : {})}
          onChange={event => {
            setCode(event.target.value.replace(/\D/g, ''))
            setFailure(null)
          }}
        />
        <p role="alert" style={{ color: 'var(--tw-error)', minHeight: 22, margin: '4px 0 8px' }}>
          {failure}
        </p>
        <div className={css.foot}>
          <Button type="primary" htmlType="submit" loading={busy}>
            {t('totp.turnOn')}
          </Button>
          <Button onClick={onClose}>{t('cancel')}</Button>
        </div>
      </form>
    </Modal>
  )
}
