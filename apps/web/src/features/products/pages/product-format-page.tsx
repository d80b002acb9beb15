import { Segmented } from 'antd'
import { useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyButton } from '../../../ui/copy-id.tsx'
import { Panel, Stack } from '../../../ui/panel.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { FormatTester, type Trial } from '../components/format-tester.tsx'
import { RefusedFrames } from '../components/refused-frames.tsx'
import { modelOf, useProduct, useProductId } from '../hooks.ts'
import { exampleEvent, examplePosts, exampleSet } from '../model/example-payload.ts'
import css from '../products.module.css'

const SHAPES = ['plain', 'timed', 'batch', 'event', 'set'] as const
type Shape = (typeof SHAPES)[number]

/** JSON as this product's devices speak it: an example from the model, a tester, and what was refused. */
export function ProductFormatPage() {
  const { t } = useTranslation('products')
  const id = useProductId()
  const { data: product } = useProduct(id)
  const model = useMemo(() => modelOf(product?.thingModel ?? null), [product?.thingModel])
  const [shape, setShape] = useState<Shape>('plain')
  const now = useRef(Date.now())
  const [event] = model.events
  const examples: Record<Shape, unknown> = useMemo(
    () => ({
      ...examplePosts(model, now.current),
      event: event ? exampleEvent(event, now.current) : null,
      set: exampleSet(model),
    }),
    [model, event],
  )
  const text = JSON.stringify(examples[shape], null, 2)
  const [trial, setTrial] = useState<Trial | null>(null)
  const shown = trial ?? {
    channel: 'property' as const,
    identifier: '',
    payload: JSON.stringify(examples.plain, null, 2),
    draft: false,
  }
  const open = (next: Trial) => {
    setTrial(next)
    document.getElementById('tester')?.scrollIntoView({ block: 'center' })
  }
  if (!product) return null
  const shapes = SHAPES.filter(
    name =>
      (name !== 'event' || event) && (name !== 'set' || model.properties.some(property => property.access !== 'r')),
  )
  return (
    <Stack>
      <Panel title={t('formatTitle')} hint={t('formatHint')}>
        {model.properties.length === 0 && !event ? (
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
      <Panel title={t('testerTitle')} hint={t('testerHint')}>
        <FormatTester
          productId={id}
          model={model}
          hasPublished={product.publishedModel !== null}
          trial={shown}
          onChange={setTrial}
        />
      </Panel>
      <RefusedFrames
        productId={id}
        onTry={frame => {
          const identifier = typeof frame.detail.identifier === 'string' ? frame.detail.identifier : ''
          const asEvent = identifier !== '' && model.events.some(each => each.identifier === identifier)
          open({
            channel: asEvent ? 'event' : 'property',
            identifier: asEvent ? identifier : '',
            payload: frame.text ?? '',
            draft: false,
          })
        }}
      />
    </Stack>
  )
}
