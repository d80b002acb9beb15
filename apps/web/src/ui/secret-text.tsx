import { EyeInvisibleOutlined, EyeOutlined } from '@ant-design/icons'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyButton } from './copy-id.tsx'
import css from './ui.module.css'

const SHOWN_SECONDS = 30

/** A secret: masked, shown for 30 s on demand, can be copied without being shown. */
export function SecretText({ value }: { value: string }) {
  const { t } = useTranslation('ui')
  const [shown, setShown] = useState(false)
  useEffect(() => {
    if (!shown) return
    const timer = setTimeout(() => setShown(false), SHOWN_SECONDS * 1000)
    return () => clearTimeout(timer)
  }, [shown])
  const name = shown ? t('hide') : `${t('reveal')} (${t('hidesAfter', { seconds: SHOWN_SECONDS })})`
  return (
    <span className={css.copy}>
      <span className={`${css.mono} ${css.copyText}`} data-testid="secret">
        {shown ? value : '•'.repeat(Math.min(24, Math.max(8, value.length)))}
      </span>
      <button type="button" className={css.icon} aria-label={name} title={name} onClick={() => setShown(!shown)}>
        {shown ? <EyeInvisibleOutlined aria-hidden /> : <EyeOutlined aria-hidden />}
      </button>
      <CopyButton value={value} />
    </span>
  )
}
