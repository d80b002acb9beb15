import { type FormEvent, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { boot } from '../../../lib/boot.ts'
import { notify } from '../../../lib/notify.ts'
import { register } from '../api.ts'
import { isCode, isPhone, isUsername } from '../validation.ts'
import { Dialog } from './dialog.tsx'
import { Failure, Submit } from './form-parts.tsx'
import { PasswordField } from './password-field.tsx'
import { PhoneCodeFields } from './phone-code-fields.tsx'
import { SimulatedSms } from './simulated-sms.tsx'
import { TermsField } from './terms-field.tsx'
import { TextField } from './text-field.tsx'
import { useFields } from './use-fields.ts'
import { useSubmit } from './use-submit.ts'

/** A new company with its owner; afterwards he is signed in. */
export function RegisterDialog({ onDone, onClose }: { onDone: () => void; onClose: () => void }) {
  const { t } = useTranslation('identity')
  const form = useRef<HTMLFormElement>(null)
  const [values, setValues] = useState({ companyName: '', username: '', phone: '', code: '', password: '' })
  const [acceptTerms, setAcceptTerms] = useState(false)
  const set = (name: keyof typeof values) => (value: string) => setValues(before => ({ ...before, [name]: value }))
  const fields = useFields(form, () => ({
    companyName: values.companyName.trim().length < 2 ? t('error.companyName') : null,
    username: isUsername(values.username) ? null : t('error.username'),
    phone: isPhone(values.phone) ? null : t(values.phone === '' ? 'error.phoneEmpty' : 'error.phone'),
    code: isCode(values.code) ? null : t(values.code === '' ? 'error.codeEmpty' : 'error.code'),
    password: [...values.password].length < 8 ? t('error.newPassword') : null,
    acceptTerms: acceptTerms ? null : t('error.terms'),
  }))
  const { busy, failure, run } = useSubmit(onDone, fields.refuse)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!fields.ready()) return
    void run(async () => {
      await register({ ...values, companyName: values.companyName.trim(), acceptTerms })
      notify.success(t('register.done'))
    })
  }
  const field = (name: 'companyName' | 'username' | 'password') => ({
    name,
    value: values[name],
    error: fields.error(name),
    onChange: (event: { target: { value: string } }) => {
      fields.change(name)
      set(name)(event.target.value)
    },
    onBlur: () => values[name] !== '' && fields.leave(name),
  })
  return (
    <Dialog title={t('register.title')} lead={t('register.lead')} testId="register-dialog" onClose={onClose}>
      <form ref={form} onSubmit={submit} noValidate>
        <TextField
          {...field('companyName')}
          label={t('register.companyName')}
          autoComplete="organization"
          maxLength={64}
        />
        <TextField
          {...field('username')}
          label={t('register.username')}
          autoComplete="username"
          maxLength={32}
          placeholder={t('register.usernameHelp')}
        />
        <PhoneCodeFields
          purpose="register"
          phone={values.phone}
          code={values.code}
          onPhone={set('phone')}
          onCode={set('code')}
          fields={fields}
        />
        <PasswordField {...field('password')} label={t('register.password')} autoComplete="new-password" />
        <TermsField accepted={acceptTerms} onChange={setAcceptTerms} fields={fields} />
        <Failure text={failure} />
        <Submit busy={busy} text={t('register.submit')} testId="register-submit" />
        {boot().demo && <SimulatedSms />}
      </form>
    </Dialog>
  )
}
