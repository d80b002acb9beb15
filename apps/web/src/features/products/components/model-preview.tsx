import { defaultValue, describeType, type Property, type ThingModel } from '@thingwright/thing-model'
import { Switch } from 'antd'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { locale } from '../../../lib/i18n.ts'
import { boolWords, nameOf } from '../../../ui/schema-form/from-thing-model.ts'
import { EmptyState } from '../../../ui/states.tsx'
import { exampleValue } from '../model/example-payload.ts'
import css from '../products.module.css'
import own from './model-preview.module.css'

/** How the page of a device will look with this draft: its cards in their groups, with example values. */
export function ModelPreview({ model }: { model: ThingModel }) {
  const { t } = useTranslation('products')
  const groups = useMemo(() => {
    const sorted = model.properties
      .map((property, at) => ({ property, at }))
      .sort((a, b) => (a.property.sort ?? 0) - (b.property.sort ?? 0) || a.at - b.at)
    const found = new Map<string, Property[]>()
    for (const { property } of sorted) {
      const group = property.group ?? ''
      const list = found.get(group)
      if (list) list.push(property)
      else found.set(group, [property])
    }
    return [...found]
  }, [model])
  if (model.properties.length === 0) return <EmptyState title={t('preview.empty')} />
  return (
    <div className={css.inset}>
      <p className={css.lead}>{t('preview.lead')}</p>
      {groups.map(([group, properties]) => (
        <section key={group} className={own.previewGroup} aria-label={group || t('preview.ungrouped')}>
          {group !== '' && <h3>{group}</h3>}
          <div className={own.previewCards}>
            {properties.map(property => (
              <PreviewCard key={property.identifier} property={property} />
            ))}
          </div>
        </section>
      ))}
    </div>
  )
}

function PreviewCard({ property }: { property: Property }) {
  const { t } = useTranslation('products')
  const english = locale() === 'en'
  const { dataType, access } = property
  const value = property.default ?? exampleValue(dataType, property.decimals) ?? defaultValue(dataType)
  return (
    <article className={own.previewCard}>
      <header>
        <span dir="auto" title={property.identifier}>
          {nameOf(property, english)}
        </span>
        {dataType.type === 'bool' && access !== 'r' && (
          <Switch size="small" aria-label={nameOf(property, english)} checked={value === true} disabled />
        )}
      </header>
      <p className={own.previewValue}>
        {access === 'w' ? '–' : wordsOf(property, value, english)}
        {property.unit && access !== 'w' && <small>{property.unit}</small>}
      </p>
      <footer>
        {access === 'w' ? t('accessWords.w') : describeType(dataType)}
        {property.mapping && <span>{t('mappingTitle')}</span>}
      </footer>
    </article>
  )
}

function wordsOf({ dataType, decimals }: Property, value: unknown, english: boolean): string {
  if (dataType.type === 'bool') {
    const { on, off } = boolWords(dataType, english)
    return value === true ? (on ?? 'true') : (off ?? 'false')
  }
  if (dataType.type === 'enum') {
    const item = dataType.items.find(each => each.value === value)
    return item ? nameOf({ ...item, identifier: String(item.value) }, english) : String(value)
  }
  if (typeof value === 'number' && decimals !== undefined) return value.toFixed(decimals)
  return typeof value === 'object' ? '{…}' : String(value)
}
