import { Button, Input } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { CustomInput } from '../../../ui/schema-form/field.ts'
import css from './settings.module.css'
import { NO_KEY } from './settings-body.ts'

/** The key of the company's model: it is set, replaced or taken away, and never shown. */
export function KeyField({ input, stored }: { input: CustomInput; stored: boolean }) {
  const { t } = useTranslation('settings')
  const [typing, setTyping] = useState(false)
  const { value, onChange } = input
  if (value === NO_KEY)
    return (
      <div className={css.key} id={input.id}>
        <span>{t('key.removed')}</span>
        <Button disabled={input.disabled} onClick={() => onChange(undefined)}>
          {t('key.keep')}
        </Button>
      </div>
    )
  if (stored && !typing && value === undefined)
    return (
      <div className={css.key} id={input.id}>
        <span data-testid="key-stored">{t('key.stored')}</span>
        <Button disabled={input.disabled} onClick={() => setTyping(true)}>
          {t('key.replace')}
        </Button>
        <Button disabled={input.disabled} danger onClick={() => onChange(NO_KEY)}>
          {t('key.remove')}
        </Button>
      </div>
    )
  return (
    <div className={css.key}>
      <Input.Password
        id={input.id}
        autoComplete="new-password"
        autoFocus={typing}
        maxLength={500}
        placeholder={t('key.placeholder')}
        disabled={input.disabled}
        value={typeof value === 'string' ? value : ''}
        onBlur={input.onBlur}
        onChange={event => onChange(event.target.value.trim() === '' ? undefined : event.target.value.trim())}
      />
      {stored && (
        <Button
          onClick={() => {
            onChange(undefined)
            setTyping(false)
          }}
        >
          {t('key.keep')}
        </Button>
      )}
    </div>
  )
}
