import { CheckOutlined, CopyOutlined } from '@ant-design/icons'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { notify } from '../lib/notify.ts'
import { copyText } from './copy.ts'
import css from './ui.module.css'

/** A button that copies and shows for a second that it did. */
export function CopyButton({ value, label }: { value: string; label?: string }) {
  const { t } = useTranslation('ui')
  const [done, setDone] = useState(false)
  useEffect(() => {
    if (!done) return
    const timer = setTimeout(() => setDone(false), 1200)
    return () => clearTimeout(timer)
  }, [done])
  const name = done ? t('copied') : (label ?? t('copy'))
  return (
    <button
      type="button"
      className={`${css.icon} ${done ? css.done : ''}`}
      aria-label={name}
      title={name}
      onClick={async event => {
        event.stopPropagation()
        if (await copyText(value)) setDone(true)
        else notify.warning(t('copyFailed'))
      }}
    >
      {done ? <CheckOutlined aria-hidden /> : <CopyOutlined aria-hidden />}
    </button>
  )
}

/** An id, key, topic or address in mono with a copy button; `quiet` shows the button on hover and focus only. */
export function CopyId({ value, quiet = false, label }: { value: string; quiet?: boolean; label?: string }) {
  return (
    <span className={`${css.copy} ${quiet ? css.quiet : ''}`}>
      <span className={`${css.mono} ${css.copyText}`} title={value}>
        {value}
      </span>
      <CopyButton value={value} {...(label === undefined ? {} : { label })} />
    </span>
  )
}
