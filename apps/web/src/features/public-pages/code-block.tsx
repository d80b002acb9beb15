import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { copyText } from '../../ui/copy.ts'
import css from './public-pages.module.css'

/** Code to read and to copy. */
export function CodeBlock({ text, label }: { text: string; label?: string }) {
  const { t } = useTranslation('public-pages')
  const [copied, setCopied] = useState<boolean | null>(null)
  const copy = async () => {
    setCopied(await copyText(text))
    setTimeout(() => setCopied(null), 2000)
  }
  return (
    <div className={css.code}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled by keyboard too */}
      {/* biome-ignore lint/a11y/useSemanticElements: a group of form fields it is not */}
      <pre tabIndex={0} role="group" aria-label={label ?? t('code')}>
        <code>{text}</code>
      </pre>
      <button type="button" className={css.copy} onClick={() => void copy()} aria-live="polite">
        {copied === null ? t('copy') : copied ? t('copied') : t('copyFailed')}
      </button>
    </div>
  )
}
