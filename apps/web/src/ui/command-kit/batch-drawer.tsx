import type { BatchTarget } from '@thingwright/contracts/command-batches.contract'
import type { ThingModel } from '@thingwright/thing-model/model'
import { Alert, Button } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type Body, call } from '../../lib/api-client.ts'
import { locale } from '../../lib/i18n.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import { LazySelect } from '../lazy-select/lazy-select.tsx'
import type { Field, Values } from '../schema-form/field.ts'
import { FormDrawer } from '../schema-form/form-drawer.tsx'
import { fieldOfProperty, fieldsOfParams, nameOf } from '../schema-form/from-thing-model.ts'
import { BatchList } from './batch-list.tsx'
import { BatchResults } from './batch-results.tsx'
import { CommandAskHost } from './command-ask.tsx'
import css from './command-kit.module.css'
import { sendGuarded } from './send-guarded.ts'
import { templateDefaults, templateFields } from './template-params.ts'

type Request = Body<'commandBatches.create'>['command']

/** One thing that can be asked of the devices: its form, and the request made of what was typed. */
interface Choice {
  value: string
  label: string
  fields: readonly Field[]
  initial: Values
  request: (values: Values) => Request
}

/**
 * Sends one command to many devices and shows what became of it.
 * @param productId of all of them; null when they are of several products, then only bytes can be sent
 * @param count how many; null: whatever fits the filters
 */
export function BatchCommand({
  target,
  count,
  productId,
  onClose,
}: {
  target: BatchTarget
  count: number | null
  productId: string | null
  onClose: () => void
}) {
  const { t } = useTranslation('command-kit')
  const choices = useChoices(productId)
  const [chosen, setChosen] = useState<string | null>(null)
  const [started, setStarted] = useState<string | null>(null)
  const [listing, setListing] = useState(false)
  const choice = choices.find(each => each.value === chosen) ?? choices[0]!
  const fields = useMemo<Field[]>(
    () => [
      ...choice.fields,
      { key: '$name', kind: 'string', label: t('batchName'), help: t('batchNameHelp'), maxLength: 64, half: true },
      {
        key: '$perSecond',
        kind: 'number',
        label: t('perSecond'),
        unit: t('perSecondUnit'),
        integer: true,
        min: 1,
        max: 1000,
        required: true,
        half: true,
      },
    ],
    [choice, t],
  )
  if (listing && !started) return <BatchList onOpen={setStarted} onClose={onClose} />
  if (started) return <BatchResults id={started} onClose={onClose} />
  return (
    <FormDrawer
      key={choice.value}
      title={t('batchTitle')}
      fields={fields}
      initial={{ ...choice.initial, $perSecond: 200 }}
      submitText={t('start')}
      note={
        <Button type="link" onClick={() => setListing(true)}>
          {t('batches')}
        </Button>
      }
      intro={
        <div className={css.stack} style={{ marginBottom: 16 }}>
          <CommandAskHost />
          <Alert
            type="info"
            showIcon
            title={count === null ? t('batchFilter') : t('batchTo', { count })}
            {...(productId === null ? { description: t('noProduct') } : {})}
          />
          <LazySelect
            aria-label={t('batchKind')}
            value={choice.value}
            options={choices.map(({ value, label }) => ({ value, label }))}
            showSearch
            onChange={setChosen}
          />
        </div>
      }
      onSubmit={async ({ $name, $perSecond, ...values }) => {
        const made = await sendGuarded(answers =>
          call('commandBatches.create', {
            body: {
              target,
              command: { ...choice.request(values), ...answers },
              perSecond: Number($perSecond),
              ...($name ? { name: String($name) } : {}),
            },
          }),
        )
        setStarted(made.id)
      }}
      onClose={onClose}
    />
  )
}

function useChoices(productId: string | null): Choice[] {
  const { t } = useTranslation('command-kit')
  const english = locale() === 'en'
  const templates = useRead('commandTemplates.list', { params: { id: productId! } }, { enabled: productId !== null })
  const product = useRead('products.get', { params: { id: productId! } }, { enabled: productId !== null })
  return useMemo(() => {
    const model = (product.data?.publishedModel ?? null) as ThingModel | null
    const raw: Choice = {
      value: 'raw',
      label: t('kinds.raw'),
      fields: [
        {
          key: 'hex',
          kind: 'string',
          label: t('rawHex'),
          help: t('rawHexHelp'),
          required: true,
          mono: true,
          rows: 3,
          maxLength: 8192,
          pattern: /^(\s*[0-9a-fA-F]{2}[\s,:-]*)+$/,
          patternText: t('rawHexRule'),
        },
      ],
      initial: {},
      request: ({ hex }) => ({ kind: 'raw', payload: { hex: String(hex) } }),
    }
    return [
      ...(templates.data?.items ?? []).map(
        (template): Choice => ({
          value: `template:${template.id}`,
          label: `${t('kinds.template')} · ${template.name}`,
          fields: templateFields(template.body, english),
          initial: templateDefaults(template.body),
          request: params => ({ kind: 'template', templateId: template.id, params }),
        }),
      ),
      ...(model?.services ?? []).map(
        (service): Choice => ({
          value: `service:${service.identifier}`,
          label: `${t('kinds.service')} · ${nameOf(service, english)}`,
          fields: fieldsOfParams(service.input, { english }),
          initial: {},
          request: params => ({ kind: 'service', identifier: service.identifier, params }),
        }),
      ),
      ...(model?.properties ?? [])
        .filter(property => property.access !== 'r')
        .map(
          (property): Choice => ({
            value: `property:${property.identifier}`,
            label: `${t('kinds.property_set')} · ${nameOf(property, english)}`,
            fields: [{ ...fieldOfProperty(property, { english }), required: true }],
            initial: {},
            request: params => ({ kind: 'property_set', params }),
          }),
        ),
      raw,
    ]
  }, [templates.data, product.data, english, t])
}
