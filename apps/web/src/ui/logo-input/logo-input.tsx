import { Button } from 'antd'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useWork } from '../../lib/server-state/use-work.ts'
import css from './logo-input.module.css'
import { readLogo } from './read-logo.ts'

/** Chooses an image and keeps it as a data: reference; empty: none. */
export function LogoInput({
  id,
  value,
  onChange,
  disabled,
}: {
  id: string
  value: string
  onChange: (value: unknown) => void
  disabled?: boolean | undefined
}) {
  const { t } = useTranslation('ui')
  const input = useRef<HTMLInputElement>(null)
  const { attempt, pending: busy } = useWork()
  const take = async (file: File | undefined) => {
    if (!file) return
    await attempt(async () => {
      onChange(await readLogo(file))
    })
  }
  return (
    <div className={css.row}>
      <div className={css.logo}>
        {value ? <img src={value} alt={t('logo.alt')} /> : <span className={css.none}>–</span>}
      </div>
      <Button id={id} disabled={disabled} loading={busy} onClick={() => input.current?.click()}>
        {t('logo.choose')}
      </Button>
      {value && (
        <Button type="link" disabled={disabled} onClick={() => onChange('')}>
          {t('logo.remove')}
        </Button>
      )}
      <input
        ref={input}
        type="file"
        hidden
        accept="image/png,image/jpeg,image/webp,image/svg+xml"
        onChange={event => {
          void take(event.target.files?.[0])
          event.target.value = ''
        }}
      />
    </div>
  )
}
