import type { ProductDetail } from '@thingwright/contracts/products.contract'
import type { ThingModel } from '@thingwright/thing-model/model'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { useMay } from '../../../lib/permissions.ts'
import { serverNow } from '../../../lib/server-clock.ts'
import { Panel, Stack } from '../../../ui/panel.tsx'
import { type RefusedFrame, RefusedFrames } from '../components/refused-frames.tsx'
import { modelOf, useProduct, useProductId } from '../hooks.ts'
import { exampleEvent, examplePosts, exampleSet } from '../model/example-payload.ts'
import { FormatPanel } from '../payload-format/format-panel.tsx'
import { JsonExamples } from '../payload-format/json-examples.tsx'
import { type Sample, Samples } from '../payload-format/samples.tsx'
import { NO_TRIAL, parsed, Tester, type Trial } from '../payload-format/tester.tsx'
import { useFormatDraft } from '../payload-format/use-format-draft.ts'

/** How the product's payloads become values: the format, a tester, samples, and what was refused. */
export function ProductFormatPage() {
  const id = useProductId()
  const { data: product } = useProduct(id)
  const model = useMemo(() => modelOf(product?.thingModel ?? null), [product?.thingModel])
  return product ? <FormatOf key={product.id} product={product} model={model} /> : null
}

function FormatOf({ product, model }: { product: ProductDetail; model: ThingModel }) {
  const { t } = useTranslation('payload-format')
  const draft = useFormatDraft(product)
  const mayWrite = useMay('formats.setFormat')
  const [now] = useState(() => serverNow())
  const standard = draft.format.kind === 'json' && draft.format.values === undefined
  const examples = useMemo(
    () => ({
      ...examplePosts(model, now),
      event: model.events[0] ? exampleEvent(model.events[0], now) : null,
      set: exampleSet(model),
    }),
    [model, now],
  )
  // Until something is typed the tester shows what fits the format.
  const [address] = useSearchParams()
  const [typed, setTrial] = useState<Trial | null>(() => {
    // A refused frame that the device's diagnosis or log sends here.
    const frame = address.get('frame') ?? ''
    return /^([0-9a-f]{2})+$/i.test(frame)
      ? { ...NO_TRIAL, direction: 'up', channel: standard ? 'property' : 'raw', encoding: 'hex', payload: frame }
      : null
  })
  const trial: Trial = typed ?? {
    ...NO_TRIAL,
    params: JSON.stringify(firstOf(exampleSet(model)), null, 2),
    ...(standard
      ? { channel: 'property' as const, payload: JSON.stringify(examples.plain, null, 2) }
      : { encoding: 'hex' as const }),
  }
  const [adding, setAdding] = useState<Sample | null>(null)
  const open = (part: Partial<Trial>) => {
    setTrial({ ...trial, direction: 'up', ...part })
    document.getElementById('tester')?.scrollIntoView({ block: 'center' })
  }
  return (
    <Stack>
      <FormatPanel
        product={product}
        model={model}
        draft={draft}
        onSample={sample => setTrial({ ...trial, direction: 'up', channel: 'raw', ...sample })}
      />
      {standard && <JsonExamples model={model} examples={examples} />}
      <Panel title={t('testerTitle')} hint={t('testerHint')}>
        <Tester
          productId={product.id}
          model={model}
          format={draft.format}
          dirty={draft.dirty}
          hasPublished={product.publishedModel !== null}
          trial={trial}
          onChange={setTrial}
          onKeep={
            mayWrite
              ? (asked, result) =>
                  setAdding(
                    asked.direction === 'down'
                      ? {
                          name: '',
                          direction: 'down',
                          encoding: 'hex',
                          payload: result.frames.map(frame => frame.hex).join(''),
                          command: {
                            kind: asked.service === '' ? 'property_set' : 'service',
                            ...(asked.service === '' ? {} : { identifier: asked.service }),
                            params: parsed(asked.params) ?? {},
                          },
                        }
                      : {
                          name: '',
                          direction: 'up',
                          encoding: asked.encoding,
                          payload: asked.payload,
                          ...(result.ok
                            ? { expected: Object.assign({}, ...result.rows.map(row => row.values)) }
                            : { expectedReason: result.reason ?? '' }),
                        },
                  )
              : undefined
          }
        />
      </Panel>
      {!standard && (
        <Samples
          productId={product.id}
          format={draft.format}
          dirty={draft.dirty}
          adding={adding}
          onAdded={() => setAdding(null)}
        />
      )}
      <RefusedFrames productId={product.id} onTry={frame => open(trialOf(frame, model, standard))} />
    </Stack>
  )
}

/** A refused frame in the tester, through the channel by which it came as far as that is known. */
function trialOf(frame: RefusedFrame, model: ThingModel, standard: boolean): Partial<Trial> {
  const identifier = typeof frame.detail.identifier === 'string' ? frame.detail.identifier : ''
  const asEvent = identifier !== '' && model.events.some(each => each.identifier === identifier)
  return {
    channel: asEvent ? 'event' : standard ? 'property' : 'raw',
    identifier: asEvent ? identifier : '',
    payload: frame.text ?? frame.hex,
    encoding: frame.text === null ? 'hex' : 'text',
  }
}

/** The parameters of an example message. */
function firstOf(example: unknown): unknown {
  return (example as { params?: unknown } | null)?.params ?? {}
}
