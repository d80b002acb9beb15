import { type KeyboardEvent, type Ref, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useComposedText } from '../lib/composition.ts'
import css from './search-field.module.css'

/** A one-line text to look for something: plain, light, with a button to empty it. */
export function SearchField({
  value,
  onChange,
  label,
  placeholder = label,
  className,
  inputRef,
  magnifier = true,
  maxLength = 128,
  id,
  shortcut,
  onKeyDown,
}: {
  value: string
  onChange: (value: string) => void
  /** Its name for those who cannot see it. */
  label: string
  placeholder?: string
  className?: string | undefined
  inputRef?: Ref<HTMLInputElement>
  magnifier?: boolean
  maxLength?: number
  id?: string | undefined
  /** The key that leads here. */
  shortcut?: string
  onKeyDown?: (event: KeyboardEvent<HTMLInputElement>) => void
}) {
  const { t } = useTranslation('ui')
  const box = useRef<HTMLSpanElement>(null)
  const typed = useComposedText(value, onChange)
  return (
    <span ref={box} className={`${css.field} ${className ?? ''}`}>
      {magnifier && (
        <svg width="14" height="14" viewBox="0 0 16 16" fill="none" stroke="currentColor" aria-hidden="true">
          <circle cx="7" cy="7" r="5" strokeWidth="1.4" />
          <path d="m11 11 3.5 3.5" strokeWidth="1.4" strokeLinecap="round" />
        </svg>
      )}
      <input
        ref={inputRef}
        id={id}
        type="search"
        className={css.input}
        {...typed}
        maxLength={maxLength}
        placeholder={placeholder}
        aria-label={label}
        aria-keyshortcuts={shortcut}
        autoComplete="off"
        spellCheck={false}
        onKeyDown={event => {
          // Browsers empty a search field on Escape; here it only leaves.
          if (event.key === 'Escape') event.preventDefault()
          onKeyDown?.(event)
        }}
      />
      {value !== '' && (
        <button
          type="button"
          className={css.clear}
          aria-label={t('clearText')}
          title={t('clearText')}
          onClick={() => {
            onChange('')
            box.current?.querySelector('input')?.focus()
          }}
        >
          <svg width="10" height="10" viewBox="0 0 10 10" stroke="currentColor" strokeWidth="1.4" aria-hidden="true">
            <path d="m1 1 8 8m0-8-8 8" />
          </svg>
        </button>
      )}
    </span>
  )
}
