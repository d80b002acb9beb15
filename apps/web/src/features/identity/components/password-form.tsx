import { type FormEvent, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '../../../lib/api-client.ts'
import { boot } from '../../../lib/boot.ts'
import { usePortal } from '../../../lib/portal.ts'
import { signInWithPassword } from '../api.ts'
import { CaptchaField } from './captcha-field.tsx'
import { Failure, Submit } from './form-parts.tsx'
import css from './sign-in.module.css'
import { TextField } from './text-field.tsx'
import { useCaptcha } from './use-captcha.ts'
import { minutesAndSeconds, useCountdown } from './use-countdown.ts'
import { useSubmit } from './use-submit.ts'

/** Sign-in with user name and password; after failures with the letters of a picture, after more not for a while. */
export function PasswordForm({ onDone, onUseCode }: { onDone: () => void; onUseCode: () => void }) {
  const { t } = useTranslation('identity')
  // The demo's own account is a member's, none of a portal's end users.
  const demo = usePortal.getState().portal ? null : boot().demoSignIn
  const [username, setUsername] = useState(demo?.username ?? '')
  const [password, setPassword] = useState(demo?.password ?? '')
  const [shown, setShown] = useState(false)
  const [checked, setChecked] = useState({ username: false, password: false })
  const form = useRef<HTMLFormElement>(null)
  const [asked, setAsked] = useState(false)
  const [captchaError, setCaptchaError] = useState<string | null>(null)
  const captcha = useCaptcha(asked)
  const lock = useCountdown()
  const { busy, failure, run } = useSubmit(onDone, error => {
    // Whatever was wrong, the picture is used up.
    captcha.reload()
    if (!(error instanceof ApiError)) return false
    if (error.code === 'auth.locked') {
      lock.start(error.retryAfterSeconds ?? 60)
      return true
    }
    if (error.code !== 'auth.captcha_required' && error.code !== 'auth.captcha_wrong') return false
    // The first time the field has only just appeared: nothing was wrong with it yet.
    setCaptchaError(asked ? error.message : null)
    setAsked(true)
    return asked
  })
  const missing = {
    username: checked.username && username.trim() === '' ? t('error.usernameEmpty') : null,
    password: checked.password && password === '' ? t('error.passwordEmpty') : null,
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setChecked({ username: true, password: true })
    const first = username.trim() === '' ? 'username' : password === '' ? 'password' : null
    if (first) form.current?.querySelector<HTMLInputElement>(`[name=${first}]`)?.focus()
    else if (asked && captcha.answer.trim() === '') {
      setCaptchaError(t('error.captchaEmpty'))
      form.current?.querySelector<HTMLInputElement>('[name=captcha]')?.focus()
    } else {
      setCaptchaError(null)
      void run(() => signInWithPassword(username.trim(), password, captcha.given))
    }
  }
  return (
    <form ref={form} onSubmit={submit} noValidate>
      <TextField
        label={t('username')}
        name="username"
        autoComplete="username"
        maxLength={128}
        value={username}
        error={missing.username}
        onChange={event => setUsername(event.target.value)}
        onBlur={() => username !== '' && setChecked(c => ({ ...c, username: true }))}
      />
      <TextField
        label={t('password')}
        name="password"
        type={shown ? 'text' : 'password'}
        autoComplete="current-password"
        maxLength={256}
        value={password}
        error={missing.password}
        onChange={event => setPassword(event.target.value)}
        suffix={
          <button
            type="button"
            className={css.send}
            style={{ minWidth: 64 }}
            aria-pressed={shown}
            onClick={() => setShown(!shown)}
          >
            {t(shown ? 'hide' : 'show')}
          </button>
        }
      />
      {asked && <CaptchaField captcha={captcha} error={captchaError} />}
      {lock.left > 0 ? (
        <div className={css.failure} role="alert" data-testid="sign-in-locked">
          <span>
            {t('locked', { time: minutesAndSeconds(lock.left) })}{' '}
            <button type="button" className={css.textButton} onClick={onUseCode}>
              {t('useCode')}
            </button>
          </span>
        </div>
      ) : (
        <Failure text={failure} />
      )}
      <Submit busy={busy} text={t('signIn')} disabled={lock.left > 0} />
    </form>
  )
}
