import { type FormEvent, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '../../../lib/api-client.ts'
import { boot } from '../../../lib/boot.ts'
import { errorFacts } from '../../../lib/errors.ts'
import { sendCode, signInWithCode } from '../api.ts'
import { isCode, isPhone } from '../validation.ts'
import { Failure, Submit } from './form-parts.tsx'
import css from './sign-in.module.css'
import { SimulatedSms } from './simulated-sms.tsx'
import { TextField } from './text-field.tsx'
import { useSubmit } from './use-submit.ts'

/** Sign-in with a code sent to a phone. */
export function CodeForm({ onDone }: { onDone: () => void }) {
  const { t } = useTranslation('identity')
  const [phone, setPhone] = useState(boot().demoSignIn?.phone ?? '')
  const [code, setCode] = useState('')
  const [checked, setChecked] = useState({ phone: false, code: false })
  const [wait, setWait] = useState(0)
  const [sending, setSending] = useState(false)
  const [sendFailure, setSendFailure] = useState<string | null>(null)
  const { busy, failure, run } = useSubmit(onDone)

  useEffect(() => {
    if (wait <= 0) return
    const timer = setTimeout(() => setWait(wait - 1), 1000)
    return () => clearTimeout(timer)
  }, [wait])

  const phoneError = checked.phone && !isPhone(phone) ? t(phone === '' ? 'error.phoneEmpty' : 'error.phone') : null
  const codeError = checked.code && !isCode(code) ? t(code === '' ? 'error.codeEmpty' : 'error.code') : null

  const send = async () => {
    setChecked(c => ({ ...c, phone: true }))
    if (!isPhone(phone)) return
    setSending(true)
    setSendFailure(null)
    try {
      setWait(await sendCode(phone))
    } catch (error) {
      setSendFailure(errorFacts(error).message)
      if (error instanceof ApiError && error.retryAfterSeconds) setWait(error.retryAfterSeconds)
    } finally {
      setSending(false)
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setChecked({ phone: true, code: true })
    setSendFailure(null)
    if (isPhone(phone) && isCode(code)) void run(() => signInWithCode(phone, code))
  }
  return (
    <form onSubmit={submit} noValidate>
      <TextField
        label={t('phone')}
        name="phone"
        type="tel"
        inputMode="tel"
        autoComplete="tel"
        maxLength={20}
        value={phone}
        error={phoneError}
        onChange={event => setPhone(event.target.value.replace(/[\s-]/g, ''))}
        onBlur={() => phone !== '' && setChecked(c => ({ ...c, phone: true }))}
      />
      <TextField
        label={t('code')}
        name="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={8}
        value={code}
        error={codeError}
        onChange={event => setCode(event.target.value.replace(/\D/g, ''))}
        suffix={
          <button
            type="button"
            className={css.send}
            disabled={wait > 0 || sending}
            onClick={() => void send()}
            data-testid="send-code"
          >
            {sending ? t('sending') : wait > 0 ? t('sendAgain', { seconds: wait }) : t('send')}
          </button>
        }
      />
      <Failure text={failure ?? sendFailure} />
      <Submit busy={busy} text={t('signIn')} />
      {boot().demo && <SimulatedSms />}
    </form>
  )
}
