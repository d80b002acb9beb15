import { type FormEvent, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { boot } from '../../../lib/boot.ts'
import { signInWithPassword } from '../api.ts'
import { Failure, Submit } from './form-parts.tsx'
import css from './sign-in.module.css'
import { TextField } from './text-field.tsx'
import { useSubmit } from './use-submit.ts'

/** Sign-in with user name and password. */
export function PasswordForm({ onDone }: { onDone: () => void }) {
  const { t } = useTranslation('identity')
  const demo = boot().demoSignIn
  const [username, setUsername] = useState(demo?.username ?? '')
  const [password, setPassword] = useState(demo?.password ?? '')
  const [shown, setShown] = useState(false)
  const [checked, setChecked] = useState({ username: false, password: false })
  const form = useRef<HTMLFormElement>(null)
  const { busy, failure, run } = useSubmit(onDone)
  const missing = {
    username: checked.username && username.trim() === '' ? t('error.usernameEmpty') : null,
    password: checked.password && password === '' ? t('error.passwordEmpty') : null,
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setChecked({ username: true, password: true })
    const first = username.trim() === '' ? 'username' : password === '' ? 'password' : null
    if (first) form.current?.querySelector<HTMLInputElement>(`[name=${first}]`)?.focus()
    else void run(() => signInWithPassword(username.trim(), password))
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
      <Failure text={failure} />
      <Submit busy={busy} text={t('signIn')} />
    </form>
  )
}
