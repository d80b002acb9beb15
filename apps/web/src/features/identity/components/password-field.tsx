import { type ComponentProps, useState } from 'react'
import { useTranslation } from 'react-i18next'
import css from './sign-in.module.css'
import { TextField } from './text-field.tsx'

/** A password that can be looked at. */
export function PasswordField(props: Omit<ComponentProps<typeof TextField>, 'suffix' | 'type'>) {
  const { t } = useTranslation('identity')
  const [shown, setShown] = useState(false)
  return (
    <TextField
      {...props}
      type={shown ? 'text' : 'password'}
      maxLength={256}
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
  )
}
