import { Button, Input, Modal } from 'antd'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorFacts } from '../../../lib/errors.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
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
  const [wrong, setWrong] = useState<string | null>(null)
  const confirm = useAct('security.totpConfirm', {
    notice: false,
    done: ({ backupCodes }) => onDone(backupCodes),
  })
  // What was refused was another code than the one that stands there now.
  const [refused, setRefused] = useState('')
  const failure = wrong ?? (confirm.error !== null && refused === code ? errorFacts(confirm.error).message : null)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!/^\d{6}$/.test(code)) {
      setWrong(t('sixDigits'))
      return
    }
    setRefused(code)
    await confirm.run({ body: { code } })
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
            setWrong(null)
          }}
        />
        <p role="alert" style={{ color: 'var(--tw-error)', minHeight: 22, margin: '4px 0 8px' }}>
          {failure}
        </p>
        <div className={css.foot}>
          <Button type="primary" htmlType="submit" loading={confirm.pending}>
            {t('totp.turnOn')}
          </Button>
          <Button onClick={onClose}>{t('cancel')}</Button>
        </div>
      </form>
    </Modal>
  )
}
