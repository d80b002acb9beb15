import type { SelectProps } from 'antd'
import { lazy, type PointerEvent, Suspense, useState } from 'react'
import css from './lazy-select.module.css'

const Select = lazy(async () => ({ default: (await import('./select.tsx')).OpenSelect }))

export interface LazySelectProps
  extends Pick<
    SelectProps<string>,
    'onChange' | 'loading' | 'showSearch' | 'allowClear' | 'popupMatchSelectWidth' | 'disabled'
  > {
  value: string | null
  options: readonly { value: string; label: string }[]
  placeholder?: string
  className?: string | undefined
  id?: string | undefined
  'aria-label'?: string
}

/**
 * A choice that looks like the component library's but is one button until somebody touches it: a list with five
 * filters would otherwise download and set up five of the library's largest components before it can be used.
 */
export function LazySelect(props: LazySelectProps) {
  const [awake, setAwake] = useState(false)
  const chosen = props.options.find(option => option.value === props.value)
  const asleep = (
    <button
      type="button"
      role="combobox"
      id={props.id}
      className={`${css.asleep} ${props.className ?? ''}`}
      aria-label={props['aria-label']}
      aria-haspopup="listbox"
      aria-expanded={false}
      disabled={props.disabled}
      // The real one opens on the press too; a click that follows on it would close it again.
      onPointerDown={(event: PointerEvent) => {
        if (event.button !== 0) return
        event.preventDefault()
        setAwake(true)
      }}
      onClick={() => setAwake(true)}
      onKeyDown={event => {
        if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
        event.preventDefault()
        setAwake(true)
      }}
      onPointerEnter={() => void import('./select.tsx')}
      onFocus={() => void import('./select.tsx')}
    >
      <span className={chosen ? css.text : css.placeholder} title={chosen?.label ?? props.placeholder}>
        {chosen?.label ?? props.placeholder}
      </span>
      <svg className={css.arrow} width="12" height="12" viewBox="0 0 12 12" fill="none" aria-hidden="true">
        <path d="m2.5 4.5 3.5 3.5 3.5-3.5" stroke="currentColor" strokeWidth="1.2" />
      </svg>
    </button>
  )
  if (!awake) return asleep
  return (
    <Suspense fallback={asleep}>
      <Select {...props} />
    </Suspense>
  )
}
