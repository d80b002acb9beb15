import { type FormEvent, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { notify } from '../../../lib/notify.ts'
import { resetByLink } from '../api.ts'
import { Dialog } from './dialog.tsx'
import { Failure, Submit } from './form-parts.tsx'
import { PasswordField } from './password-field.tsx'
import { useFields } from './use-fields.ts'
import { useSubmit } from './use-submit.ts'

/** The page behind the link of a mail: a new password. */
export function ResetLinkDialog({ token, onClose }: { token: string; onClose: () => void }) {
  const { t } = useTranslation('identity')
  const form = useRef<HTMLFormElement>(null)
  const [password, setPassword] = useState('')
  const fields = useFields(form, () => ({ password: [...password].length < 8 ? t('error.newPassword') : null }))
  const { busy, failure, run } = useSubmit(onClose, fields.refuse)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!fields.ready()) return
    void run(async () => {
      await resetByLink(token, password)
      notify.success(t('reset.done'))
    })
  }
  return (
    <Dialog title={t('reset.linkTitle')} lead={t('reset.linkLead')} testId="reset-dialog" onClose={onClose}>
      <form ref={form} onSubmit={submit} noValidate>
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
        <Submit busy={busy} text={t('reset.save')} testId="reset-submit" />
      </form>
    </Dialog>
  )
}
