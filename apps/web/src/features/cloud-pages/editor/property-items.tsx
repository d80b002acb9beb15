import type { Scene } from '@thingwright/scene'
import { Button } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import css from './editor.module.css'
import type { EditorStore } from './store.ts'

/** What a part of the properties is given. */
export interface PartProps {
  store: EditorStore
  scene: Scene
  mayWrite: boolean
}

/** A list of things of an element that can be added, changed and taken away. */
export function Items<T>({
  title,
  items,
  add,
  disabled,
  onChange,
  children,
}: {
  title: string
  items: readonly T[]
  add: () => T
  disabled: boolean
  onChange(items: T[]): void
  children(item: T, set: (next: T) => void, place: number): ReactNode
}) {
  const { t } = useTranslation('cloud-pages')
  return (
    <section className={css.section}>
      <h3>
        {title}
        {!disabled && (
          <Button
            size="small"
            type="link"
            aria-label={t('addTo', { title })}
            onClick={() => onChange([...items, add()])}
          >
            {t('add')}
          </Button>
        )}
      </h3>
      {items.map((item, place) => (
        <fieldset className={css.item} key={place} disabled={disabled}>
          {children(item, next => onChange(items.map((each, i) => (i === place ? next : each))), place)}
          {!disabled && (
            <Button size="small" type="text" danger onClick={() => onChange(items.filter((_, i) => i !== place))}>
              {t('take')}
            </Button>
          )}
        </fieldset>
      ))}
    </section>
  )
}
