import type { InvitationPreview } from '@thingwright/contracts/members.contract'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '../../../lib/api-client.ts'
import { errorFacts } from '../../../lib/errors.ts'
import { formatDateTime } from '../../../lib/format.ts'
import { notify } from '../../../lib/notify.ts'
import { useSession } from '../../../lib/session.ts'
import { acceptInvitation, readInvitation } from '../api.ts'
import { isUsername } from '../validation.ts'
import { Dialog } from './dialog.tsx'
import { Failure, Submit } from './form-parts.tsx'
import { PasswordField } from './password-field.tsx'
import css from './sign-in.module.css'
import { TermsField } from './terms-field.tsx'
import { TextField } from './text-field.tsx'
import { useFields } from './use-fields.ts'
import { useSubmit } from './use-submit.ts'

type Loaded = { state: 'loading' } | { state: 'gone'; message: string } | { state: 'open'; of: InvitationPreview }

/** The page behind an invitation's link. */
export function InviteDialog({ token, onDone, onClose }: { token: string; onDone: () => void; onClose: () => void }) {
  const { t } = useTranslation('identity')
  const [loaded, setLoaded] = useState<Loaded>({ state: 'loading' })
  useEffect(() => {
    const stop = new AbortController()
    readInvitation(token, stop.signal).then(
      of => setLoaded({ state: 'open', of }),
      error => {
        if (!stop.signal.aborted) setLoaded({ state: 'gone', message: errorFacts(error).message })
      },
    )
    return () => stop.abort()
  }, [token])
  if (loaded.state === 'open') return <Invitation token={token} of={loaded.of} onDone={onDone} onClose={onClose} />
  return (
    <Dialog
      title={t(loaded.state === 'gone' ? 'invite.goneTitle' : 'invite.loading')}
      testId="invite-dialog"
      onClose={onClose}
    >
      {loaded.state === 'gone' ? (
        <>
          <Failure text={loaded.message} />
          <button type="button" className={css.send} onClick={onClose}>
            {t('back')}
          </button>
        </>
      ) : (
        <div className={css.skeleton} aria-hidden="true" />
      )}
    </Dialog>
  )
}

function Invitation({
  token,
  of,
  onDone,
  onClose,
}: {
  token: string
  of: InvitationPreview
  onDone: () => void
  onClose: () => void
}) {
  const { t, i18n } = useTranslation('identity')
  const signedIn = useSession(s => s.token?.username ?? null)
  const form = useRef<HTMLFormElement>(null)
  const [values, setValues] = useState({ displayName: of.displayName, username: '', password: '' })
  const [acceptTerms, setAcceptTerms] = useState(false)
  const fields = useFields(form, () => ({
    username: isUsername(values.username) ? null : t('error.username'),
    password: [...values.password].length < 8 ? t('error.newPassword') : null,
    acceptTerms: acceptTerms ? null : t('error.terms'),
  }))
  const { busy, failure, run } = useSubmit(onDone, error => {
    // The login is made; the company's rules ask for more before a session begins.
    if (error instanceof ApiError && MADE_BUT_NOT_IN.test(error.code)) {
      notify.success(t('invite.signInNext'))
      onClose()
      return true
    }
    return fields.refuse(error)
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!fields.ready()) return
    void run(async () => {
      await acceptInvitation({ token, ...values, displayName: values.displayName.trim(), acceptTerms })
      notify.success(t('invite.joined', { company: of.company }))
    })
  }
  const field = (name: keyof typeof values) => ({
    name,
    value: values[name],
    error: fields.error(name),
    onChange: (event: { target: { value: string } }) => {
      fields.change(name)
      setValues(before => ({ ...before, [name]: event.target.value }))
    },
    onBlur: () => values[name] !== '' && fields.leave(name),
  })
  return (
    <Dialog
      title={t('invite.title', { company: of.company })}
      lead={of.inviter ? t('invite.by', { inviter: of.inviter }) : undefined}
      testId="invite-dialog"
      onClose={onClose}
    >
      <ul className={css.inviteFacts}>
        <li>{t('invite.sentTo', { address: of.address })}</li>
        {of.roles.length > 0 && (
          <li>
            {t('invite.roles')}: {of.roles.map(r => (i18n.language === 'en' && r.ename) || r.name).join(', ')}
          </li>
        )}
        <li>{t('invite.expires', { time: formatDateTime(of.expiresAt) })}</li>
      </ul>
      {of.addressTaken && (
        <p className={css.told} role="status" data-testid="address-taken">
          {t('invite.taken')}
        </p>
      )}
      {signedIn !== null && <p className={css.told}>{t('invite.signedIn', { username: signedIn })}</p>}
      <form ref={form} onSubmit={submit} noValidate>
        <TextField {...field('displayName')} label={t('invite.displayName')} autoComplete="name" maxLength={64} />
        <TextField
          {...field('username')}
          label={t('invite.username')}
          autoComplete="username"
          maxLength={32}
          placeholder={t('register.usernameHelp')}
        />
        <PasswordField {...field('password')} label={t('invite.password')} autoComplete="new-password" />
        <TermsField accepted={acceptTerms} onChange={setAcceptTerms} fields={fields} />
        <Failure text={failure} />
        <Submit busy={busy} text={t('invite.submit')} testId="invite-submit" />
      </form>
    </Dialog>
  )
}

const MADE_BUT_NOT_IN = /^auth\.(second_factor(_setup)?_required|password_change_required|address_refused)$/
