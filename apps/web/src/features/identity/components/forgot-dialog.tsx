import { type FormEvent, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { boot } from '../../../lib/boot.ts'
import { notify } from '../../../lib/notify.ts'
import { askResetLink, resetByCode } from '../api.ts'
import { isCode, isEmail, isPhone } from '../validation.ts'
import { CaptchaField } from './captcha-field.tsx'
import { Dialog } from './dialog.tsx'
import { Failure, Submit } from './form-parts.tsx'
import { PasswordField } from './password-field.tsx'
import { PhoneCodeFields } from './phone-code-fields.tsx'
import css from './sign-in.module.css'
import { SimulatedSms } from './simulated-sms.tsx'
import { TextField } from './text-field.tsx'
import { useCaptcha } from './use-captcha.ts'
import { useFields } from './use-fields.ts'
import { useSubmit } from './use-submit.ts'
import { WayTabs } from './way-tabs.tsx'

/** A forgotten password: by a code on the phone at once, or by a link in a mail. */
export function ForgotDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('identity')
  const [way, setWay] = useState<'phone' | 'mail'>('phone')
  return (
    <Dialog title={t('reset.title')} testId="forgot-dialog" onClose={onClose}>
      <WayTabs
        id="forgot"
        ways={[
          { key: 'phone', label: t('reset.byPhone') },
          { key: 'mail', label: t('reset.byMail') },
        ]}
        active={way}
        onChange={setWay}
      >
        {way === 'phone' ? <ByPhone onClose={onClose} /> : <ByMail />}
      </WayTabs>
      {boot().demo && <SimulatedSms />}
    </Dialog>
  )
}

function ByPhone({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('identity')
  const form = useRef<HTMLFormElement>(null)
  const [phone, setPhone] = useState('')
  const [code, setCode] = useState('')
  const [password, setPassword] = useState('')
  const fields = useFields(form, () => ({
    phone: isPhone(phone) ? null : t(phone === '' ? 'error.phoneEmpty' : 'error.phone'),
    code: isCode(code) ? null : t(code === '' ? 'error.codeEmpty' : 'error.code'),
    password: [...password].length < 8 ? t('error.newPassword') : null,
  }))
  const { busy, failure, run } = useSubmit(onClose, fields.refuse)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!fields.ready()) return
    void run(async () => {
      await resetByCode({ phone, code, password })
      notify.success(t('reset.done'))
    })
  }
  return (
    <form ref={form} onSubmit={submit} noValidate>
      <PhoneCodeFields purpose="reset" phone={phone} code={code} onPhone={setPhone} onCode={setCode} fields={fields} />
      <PasswordField
        label={t('reset.newPassword')}
        name="password"
        autoComplete="new-password"
        value={password}
        error={fields.error('password')}
        onChange={event => {
          fields.change('password')
          setPassword(event.target.value)
        }}
        onBlur={() => password !== '' && fields.leave('password')}
      />
      <Failure text={failure} />
      <Submit busy={busy} text={t('reset.submit')} testId="forgot-submit" />
    </form>
  )
}

function ByMail() {
  const { t } = useTranslation('identity')
  const form = useRef<HTMLFormElement>(null)
  const [email, setEmail] = useState('')
  const [sent, setSent] = useState(false)
  const captcha = useCaptcha(!sent)
  const fields = useFields(form, () => ({
    email: isEmail(email) ? null : t('error.email'),
    captcha: captcha.answer.trim() === '' ? t('error.captchaEmpty') : null,
  }))
  const { busy, failure, run } = useSubmit(
    () => setSent(true),
    error => {
      captcha.reload()
      return fields.refuse(error)
    },
  )
  if (sent)
    return (
      <p className={css.told} role="status" data-testid="link-sent">
        {t('reset.sent')}
      </p>
    )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (fields.ready()) void run(() => askResetLink(email.trim(), captcha.given))
  }
  return (
    <form ref={form} onSubmit={submit} noValidate>
      <TextField
        label={t('reset.email')}
        name="email"
        type="email"
        autoComplete="email"
        maxLength={254}
        value={email}
        error={fields.error('email')}
        onChange={event => {
          fields.change('email')
          setEmail(event.target.value)
        }}
        onBlur={() => email !== '' && fields.leave('email')}
      />
      <CaptchaField captcha={captcha} error={fields.error('captcha')} />
      <Failure text={failure} />
      <Submit busy={busy} text={t('reset.sendLink')} testId="forgot-submit" />
    </form>
  )
}
