import type { ThingModel } from '@thingwright/thing-model/model'
import { Segmented } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyButton } from '../../../ui/copy-id.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import css from '../products.module.css'

const SHAPES = ['plain', 'timed', 'batch', 'event', 'set'] as const
type Shape = (typeof SHAPES)[number]

/** The standard JSON of this product's devices, as examples made from the model. */
export function JsonExamples({ model, examples }: { model: ThingModel; examples: Readonly<Record<Shape, unknown>> }) {
  const { t } = useTranslation('products')
  const [shape, setShape] = useState<Shape>('plain')
  const text = JSON.stringify(examples[shape], null, 2)
  const shapes = SHAPES.filter(
    name =>
      (name !== 'event' || model.events.length > 0) &&
      (name !== 'set' || model.properties.some(property => property.access !== 'r')),
  )
  return (
    <Panel title={t('formatTitle')} hint={t('formatHint')}>
      {model.properties.length === 0 && model.events.length === 0 ? (
        <EmptyState title={t('formatEmpty')} description={t('formatEmptyText')} />
      ) : (
        <>
          <Segmented
            value={shape}
            options={shapes.map(name => ({ value: name, label: t(`shape.${name}`) }))}
            onChange={next => setShape(next as Shape)}
          />
          <p className={css.lead}>{t(`shapeText.${shape}`)}</p>
          <div className={css.example}>
            <pre dir="ltr">{text}</pre>
            <CopyButton value={text} />
          </div>
        </>
      )}
    </Panel>
  )
}
