import { Alert, Button, Input, Modal } from 'antd'
import { type FormEvent, useEffect, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError, call } from '../../../lib/api-client.ts'
import { errorFacts, isSilent } from '../../../lib/errors.ts'
import { notify } from '../../../lib/notify.ts'
import { keepMe } from '../../../lib/session.ts'
import css from '../security.module.css'

export type AddressKind = 'phone' | 'email'

/** Binds another phone or mail address with a code that is sent to it. */
export function AddressDialog({
  kind,
  onDone,
  onClose,
}: {
  kind: AddressKind
  onDone: () => void
  onClose: () => void
}) {
  const { t } = useTranslation('security')
  const id = useId()
  const [address, setAddress] = useState('')
  const [code, setCode] = useState('')
  const [wait, setWait] = useState(0)
  const [sentTo, setSentTo] = useState<string | null>(null)
  const [busy, setBusy] = useState<'send' | 'save' | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  useEffect(() => {
    if (wait <= 0) return
    const timer = setTimeout(() => setWait(wait - 1), 1000)
    return () => clearTimeout(timer)
  }, [wait])

  const run = async (what: 'send' | 'save', work: () => Promise<void>) => {
    setBusy(what)
    setFailure(null)
    try {
      await work()
    } catch (error) {
      if (!isSilent(error)) setFailure(errorFacts(error).message)
      if (error instanceof ApiError && error.retryAfterSeconds && what === 'send') setWait(error.retryAfterSeconds)
    } finally {
      setBusy(null)
    }
  }
  const send = () => {
    const wanted = address.trim()
    if (wanted === '') return setFailure(t(`contact.empty.${kind}`))
    void run('send', async () => {
      const { retryAfterSeconds } =
        kind === 'phone'
          ? await call('identity.smsCode', { body: { phone: wanted, purpose: 'bind' }, interfaceType: 'default' })
          : await call('identity.emailCode', { body: { email: wanted } })
      setWait(retryAfterSeconds)
      setSentTo(wanted)
    })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const wanted = address.trim()
    if (wanted === '') return setFailure(t(`contact.empty.${kind}`))
    if (!/^\d{6}$/.test(code)) return setFailure(t('sixDigits'))
    void run('save', async () => {
      keepMe(
        kind === 'phone'
          ? await call('identity.changePhone', { body: { phone: wanted, code } })
          : await call('identity.changeEmail', { body: { email: wanted, code } }),
      )
      notify.success(t(`contact.done.${kind}`))
      onDone()
    })
  }
  return (
    <Modal open title={t(`contact.dialog.${kind}`)} onCancel={onClose} footer={null} maskClosable={false}>
      <p className={css.lead}>{t('contact.lead')}</p>
      <form onSubmit={submit} noValidate className={css.addressForm}>
        <label htmlFor={`${id}-address`}>{t(`contact.new.${kind}`)}</label>
        <Input
          id={`${id}-address`}
          autoFocus
          type={kind === 'phone' ? 'tel' : 'email'}
          autoComplete={kind === 'phone' ? 'tel' : 'email'}
          maxLength={kind === 'phone' ? 20 : 254}
          value={address}
          onChange={event => {
            setAddress(kind === 'phone' ? event.target.value.replace(/[\s-]/g, '') : event.target.value)
            setFailure(null)
          }}
          data-testid="address-input"
        />
        <label htmlFor={`${id}-code`}>{t('contact.code')}</label>
        <div className={css.codeRow}>
          <Input
            id={`${id}-code`}
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={6}
            value={code}
            onChange={event => {
              setCode(event.target.value.replace(/\D/g, ''))
              setFailure(null)
            }}
            data-testid="address-code"
          />
          <Button disabled={wait > 0} loading={busy === 'send'} onClick={send} data-testid="address-send">
            {wait > 0 ? t('sendAgain', { seconds: wait }) : t('sendCode')}
          </Button>
        </div>
        {sentTo !== null && !failure && (
          <Alert type="info" showIcon title={t('contact.sent', { target: sentTo })} className={css.alert} />
        )}
        <p role="alert" className={css.addressFailure}>
          {failure}
        </p>
        <div className={css.foot}>
          <Button type="primary" htmlType="submit" loading={busy === 'save'} data-testid="address-save">
            {t('save')}
          </Button>
          <Button onClick={onClose}>{t('cancel')}</Button>
        </div>
      </form>
    </Modal>
  )
}
