import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '../../../lib/api-client.ts'
import { errorFacts } from '../../../lib/errors.ts'
import { sendCode } from '../api.ts'
import { isPhone } from '../validation.ts'
import { CaptchaField } from './captcha-field.tsx'
import css from './sign-in.module.css'
import { TextField } from './text-field.tsx'
import { useCaptcha } from './use-captcha.ts'
import { useCountdown } from './use-countdown.ts'
import type { Fields } from './use-fields.ts'

/** Phone, letters of a picture, and the code that is sent once these are right. */
export function PhoneCodeFields({
  purpose,
  phone,
  code,
  onPhone,
  onCode,
  fields,
}: {
  purpose: 'register' | 'reset'
  phone: string
  code: string
  onPhone: (phone: string) => void
  onCode: (code: string) => void
  fields: Fields
}) {
  const { t } = useTranslation('identity')
  const captcha = useCaptcha(true)
  const wait = useCountdown()
  const [sending, setSending] = useState(false)
  const [captchaError, setCaptchaError] = useState<string | null>(null)
  const [sendError, setSendError] = useState<string | null>(null)
  const send = async () => {
    setSendError(null)
    fields.leave('phone')
    if (!isPhone(phone)) return
    if (captcha.answer.trim() === '') return setCaptchaError(t('error.captchaEmpty'))
    setCaptchaError(null)
    setSending(true)
    try {
      wait.start(await sendCode(phone, purpose, captcha.given))
    } catch (error) {
      const { message, code: reason } = errorFacts(error)
      if (reason.startsWith('auth.captcha')) setCaptchaError(message)
      else setSendError(message)
      if (error instanceof ApiError && error.retryAfterSeconds) wait.start(error.retryAfterSeconds)
      // The picture is used up, whatever the answer was.
      captcha.reload()
    } finally {
      setSending(false)
    }
  }
  return (
    <>
      <TextField
        label={t('phone')}
        name="phone"
        type="tel"
        inputMode="tel"
        autoComplete="tel"
        maxLength={20}
        value={phone}
        error={fields.error('phone')}
        onChange={event => {
          fields.change('phone')
          onPhone(event.target.value.replace(/[\s-]/g, ''))
        }}
        onBlur={() => phone !== '' && fields.leave('phone')}
      />
      <CaptchaField captcha={captcha} error={captchaError} />
      <TextField
        label={t('code')}
        name="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={8}
        value={code}
        error={fields.error('code') ?? sendError}
        onChange={event => {
          fields.change('code')
          onCode(event.target.value.replace(/\D/g, ''))
        }}
        suffix={
          <button
            type="button"
            className={css.send}
            disabled={wait.left > 0 || sending}
            onClick={() => void send()}
            data-testid="send-code"
          >
            {sending ? t('sending') : wait.left > 0 ? t('sendAgain', { seconds: wait.left }) : t('send')}
          </button>
        }
      />
    </>
  )
}
