import type { CommandView } from '@thingwright/contracts/commands.contract'
import { LONGEST_TIMEOUT_MS } from '@thingwright/contracts/commands.words'
import type { DeviceView } from '@thingwright/contracts/devices.contract'
import type { ThingModel, ThingService } from '@thingwright/thing-model/model'
import { Alert, Select } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type Body, call } from '../../../lib/api-client.ts'
import { locale } from '../../../lib/i18n.ts'
import { sendGuarded } from '../../../ui/command-kit/send-guarded.ts'
import { LazySelect } from '../../../ui/lazy-select/lazy-select.tsx'
import type { Field } from '../../../ui/schema-form/field.ts'
import { fieldOfProperty, fieldsOfParams, nameOf } from '../../../ui/schema-form/from-thing-model.ts'
import shared from '../devices.module.css'
import css from './commands.module.css'
import { type Chosen, useLoraWay } from './lora-way.tsx'
import { ParamsForm } from './params-form.tsx'
import { RawSender } from './raw-sender.tsx'
import { TemplateSender, useDeviceTemplates } from './template-sender.tsx'

type Kind = 'template' | 'service' | 'property_set' | 'raw'
type Confirm = NonNullable<Body<'commands.create'>['confirm']>

/** Sends a named command, invokes a service, sets properties or sends bytes, each with a form of its own. */
export function CommandSender({
  device,
  model,
  onSent,
}: {
  device: DeviceView
  model: ThingModel
  onSent: (command: CommandView) => void
}) {
  const { t } = useTranslation('devices')
  const { t: k } = useTranslation('command-kit')
  const templates = useDeviceTemplates(device.id).data?.items ?? []
  const writable = model.properties.filter(property => property.access !== 'r')
  const kinds: Kind[] = [
    ...(templates.length > 0 ? (['template'] as const) : []),
    ...(model.services.length > 0 ? (['service'] as const) : []),
    ...(writable.length > 0 ? (['property_set'] as const) : []),
    'raw',
  ]
  const [chosen, setKind] = useState<Kind | null>(null)
  const kind = chosen && kinds.includes(chosen) ? chosen : kinds[0]!
  const [identifier, setIdentifier] = useState(model.services[0]?.identifier ?? '')
  const [templateId, setTemplateId] = useState('')
  const service = model.services.find(each => each.identifier === identifier) ?? model.services[0]
  const template = templates.find(each => each.id === templateId) ?? templates[0]
  const { fields: wayFields, chosen: way } = useLoraWay(device)
  return (
    <div className={css.sender}>
      <LazySelect
        aria-label={k('kind')}
        value={kind}
        options={kinds.map(value => ({ value, label: k(`kinds.${value}`) }))}
        onChange={next => setKind(next as Kind)}
      />
      {device.link !== 'online' && <Alert type="info" showIcon title={t('queuedHint')} />}
      {wayFields}
      {kind === 'template' && template && (
        <>
          <LazySelect
            aria-label={k('template')}
            value={template.id}
            options={templates.map(each => ({ value: each.id, label: `${each.name} · ${each.code}` }))}
            onChange={setTemplateId}
          />
          <TemplateSender
            key={`${template.id} ${template.version}`}
            deviceId={device.id}
            template={template}
            way={way}
            onSent={onSent}
          />
        </>
      )}
      {kind === 'service' && service && (
        <>
          <LazySelect
            aria-label={t('service')}
            value={service.identifier}
            options={model.services.map(each => ({
              value: each.identifier,
              label: `${nameOf(each, locale() === 'en')} · ${each.identifier}`,
            }))}
            onChange={setIdentifier}
          />
          <ServiceForm key={service.identifier} device={device} service={service} way={way} onSent={onSent} />
        </>
      )}
      {kind === 'property_set' && <SetForm device={device} model={model} way={way} onSent={onSent} />}
      {kind === 'raw' && <RawSender deviceId={device.id} way={way} onSent={onSent} />}
    </div>
  )
}

function ServiceForm({
  device,
  service,
  way,
  onSent,
}: {
  device: DeviceView
  service: ThingService
  way: Chosen
  onSent: (command: CommandView) => void
}) {
  const { t } = useTranslation('devices')
  const english = locale() === 'en'
  const fields = useMemo(() => fieldsOfParams(service.input, { english }), [service, english])
  return (
    <ParamsForm
      fields={fields}
      {...(service.description ? { description: service.description } : {})}
      submitText={t('invoke')}
      danger={service.danger === true}
      send={async params =>
        onSent(
          await sendGuarded(answers =>
            call('commands.create', {
              params: { id: device.id },
              body: {
                kind: 'service',
                identifier: service.identifier,
                params,
                ...(service.timeoutMs === undefined
                  ? {}
                  : { timeoutMs: Math.min(LONGEST_TIMEOUT_MS, Math.max(500, service.timeoutMs)) }),
                ...way(),
                ...answers,
              },
            }),
          ),
        )
      }
    />
  )
}

function SetForm({
  device,
  model,
  way,
  onSent,
}: {
  device: DeviceView
  model: ThingModel
  way: Chosen
  onSent: (command: CommandView) => void
}) {
  const { t } = useTranslation('devices')
  const { t: k } = useTranslation('command-kit')
  const english = locale() === 'en'
  const writable = useMemo(() => model.properties.filter(property => property.access !== 'r'), [model])
  const [chosen, setChosen] = useState<string[]>(() => writable.slice(0, 1).map(property => property.identifier))
  const [confirm, setConfirm] = useState<Confirm | 'product'>('product')
  const fields = useMemo(
    () =>
      writable
        .filter(property => chosen.includes(property.identifier))
        .map((property): Field => ({ ...fieldOfProperty(property, { english }), required: true })),
    [writable, chosen, english],
  )
  return (
    <>
      <Select
        mode="multiple"
        aria-label={t('properties')}
        placeholder={t('properties')}
        value={chosen}
        options={writable.map(property => ({ value: property.identifier, label: nameOf(property, english) }))}
        showSearch={{ optionFilterProp: 'label' }}
        onChange={setChosen}
      />
      <div>
        <p className={shared.hint}>{k('confirmLabel')}</p>
        <LazySelect
          aria-label={k('confirmLabel')}
          value={confirm}
          options={(['product', 'reply', 'read_back', 'none'] as const).map(value => ({
            value,
            label: k(`confirm.${value}`),
          }))}
          onChange={next => setConfirm(next as Confirm)}
        />
      </div>
      <ParamsForm
        key={chosen.join(',')}
        fields={fields}
        submitText={t('send')}
        danger={false}
        disabled={chosen.length === 0}
        send={async params =>
          onSent(
            await sendGuarded(answers =>
              call('commands.create', {
                params: { id: device.id },
                body: {
                  kind: 'property_set',
                  params,
                  ...(confirm === 'product' ? {} : { confirm }),
                  ...way(),
                  ...answers,
                },
              }),
            ),
          )
        }
      />
    </>
  )
}
