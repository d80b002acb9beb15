import type { CommandView } from '@thingwright/contracts/commands.contract'
import type { DeviceView } from '@thingwright/contracts/devices.contract'
import type { ThingModel, ThingService } from '@thingwright/thing-model/model'
import { Alert, Button, Modal, Segmented, Select } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../../lib/api-client.ts'
import { locale } from '../../../lib/i18n.ts'
import type { Field, Values } from '../../../ui/schema-form/field.ts'
import { FormAlert, useFormSubmit } from '../../../ui/schema-form/form-drawer.tsx'
import { fieldOfProperty, fieldsOfParams, nameOf } from '../../../ui/schema-form/from-thing-model.ts'
import { SchemaForm } from '../../../ui/schema-form/schema-form.tsx'
import { useSchemaForm } from '../../../ui/schema-form/use-schema-form.ts'
import shared from '../devices.module.css'
import css from './commands.module.css'

/** Invokes a service or sets properties, with a form made from the thing model. */
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
  const writable = model.properties.filter(property => property.access !== 'r')
  const [kind, setKind] = useState<'service' | 'property_set'>(model.services.length > 0 ? 'service' : 'property_set')
  const [identifier, setIdentifier] = useState(model.services[0]?.identifier ?? '')
  const service = model.services.find(each => each.identifier === identifier) ?? model.services[0]
  if (model.services.length === 0 && writable.length === 0)
    return <p className={shared.hint}>{t('nothingToCommand')}</p>
  return (
    <div className={css.sender}>
      <Segmented
        block
        value={kind}
        options={[
          { value: 'service', label: t('invokeService'), disabled: model.services.length === 0 },
          { value: 'property_set', label: t('setProperties'), disabled: writable.length === 0 },
        ]}
        onChange={next => setKind(next as typeof kind)}
      />
      {device.link !== 'online' && <Alert type="info" showIcon title={t('queuedHint')} />}
      {kind === 'service' && service ? (
        <>
          <Select
            aria-label={t('service')}
            value={service.identifier}
            options={model.services.map(each => ({
              value: each.identifier,
              label: `${nameOf(each, locale() === 'en')} · ${each.identifier}`,
            }))}
            onChange={setIdentifier}
          />
          <ServiceForm key={service.identifier} device={device} service={service} onSent={onSent} />
        </>
      ) : (
        <SetForm device={device} model={model} onSent={onSent} />
      )}
    </div>
  )
}

function ServiceForm({
  device,
  service,
  onSent,
}: {
  device: DeviceView
  service: ThingService
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
      danger={service.danger === true ? t('dangerQuestion', { name: nameOf(service, english) }) : null}
      send={async params =>
        onSent(
          await call('commands.create', {
            params: { id: device.id },
            body: {
              kind: 'service',
              identifier: service.identifier,
              params,
              ...(service.timeoutMs === undefined
                ? {}
                : { timeoutMs: Math.min(600_000, Math.max(500, service.timeoutMs)) }),
            },
          }),
        )
      }
    />
  )
}

function SetForm({
  device,
  model,
  onSent,
}: {
  device: DeviceView
  model: ThingModel
  onSent: (command: CommandView) => void
}) {
  const { t } = useTranslation('devices')
  const english = locale() === 'en'
  const writable = useMemo(() => model.properties.filter(property => property.access !== 'r'), [model])
  const [chosen, setChosen] = useState<string[]>(() => writable.slice(0, 1).map(property => property.identifier))
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
      <ParamsForm
        key={chosen.join(',')}
        fields={fields}
        submitText={t('send')}
        danger={null}
        disabled={chosen.length === 0}
        send={async params =>
          onSent(await call('commands.create', { params: { id: device.id }, body: { kind: 'property_set', params } }))
        }
      />
    </>
  )
}

function ParamsForm({
  fields,
  description,
  submitText,
  danger,
  disabled = false,
  send,
}: {
  fields: readonly Field[]
  description?: string
  submitText: string
  /** A question to be answered first. */
  danger: string | null
  disabled?: boolean
  send: (params: Values) => Promise<void>
}) {
  const { t } = useTranslation('devices')
  const form = useSchemaForm(fields, {}, { serverPrefix: 'params' })
  const [asking, setAsking] = useState<Values | null>(null)
  const { busy, failure, submit, clearFailure } = useFormSubmit(form, async values => {
    if (danger !== null && asking === null) {
      setAsking(values)
      return
    }
    await send(values)
  })
  return (
    <form
      className={css.paramsForm}
      onSubmit={event => {
        event.preventDefault()
        void submit()
      }}
    >
      {description && <p className={shared.hint}>{description}</p>}
      {failure && <FormAlert error={failure.error} rest={failure.rest} />}
      <SchemaForm form={form} disabled={busy} />
      <Button htmlType="submit" type="primary" danger={danger !== null} loading={busy} disabled={disabled}>
        {submitText}
      </Button>
      <Modal
        open={asking !== null}
        width={420}
        title={t('dangerTitle')}
        okText={submitText}
        cancelText={t('cancel')}
        okButtonProps={{ danger: true, loading: busy }}
        onCancel={() => setAsking(null)}
        onOk={() => {
          clearFailure()
          void submit().finally(() => setAsking(null))
        }}
      >
        <p>{danger}</p>
      </Modal>
    </form>
  )
}
