import type { LoraConnectionView } from '@thingwright/contracts/lora.contract'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../../lib/api-client.ts'
import { notify } from '../../lib/notify.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import type { Field } from '../../ui/schema-form/field.ts'
import { FormDrawer } from '../../ui/schema-form/form-drawer.tsx'
import { brokerFields, brokerOf, brokerValues } from './broker-fields.ts'
import { LORA } from './hooks.ts'

/** Connects a ChirpStack server, or changes a connection; secrets that are left empty stay as they are. */
export function ConnectionForm({
  connection,
  onClose,
}: {
  connection: LoraConnectionView | null
  onClose: () => void
}) {
  const { t } = useTranslation('lora')
  const create = useAct('loraConnections.create', { touches: LORA })
  const update = useAct('loraConnections.update', { touches: LORA })
  const regions = useRead('loraRegions.list', { query: {} }, { staleTime: 600_000 }).data?.items
  const fields = useMemo<Field[]>(
    () => [
      { key: 'name', kind: 'string', label: t('name'), required: true, maxLength: 64 },
      {
        key: 'url',
        kind: 'string',
        label: t('connection.url'),
        required: true,
        maxLength: 300,
        mono: true,
        placeholder: 'https://chirpstack.example.com:8080',
        help: t('connection.urlHelp'),
        check: value => (/^https?:\/\/\S+$/i.test(String(value)) ? null : t('connection.urlRule')),
      },
      {
        key: 'remoteTenantId',
        kind: 'string',
        label: t('connection.tenantId'),
        required: true,
        maxLength: 36,
        mono: true,
        help: t('connection.tenantIdHelp'),
        pattern: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
        patternText: t('connection.tenantIdRule'),
      },
      {
        key: 'apiKey',
        kind: 'string',
        label: t('connection.apiKey'),
        required: connection === null,
        secret: true,
        maxLength: 4096,
        help: t('connection.apiKeyHelp'),
        ...(connection ? { placeholder: t('connection.unchanged') } : {}),
      },
      {
        key: 'email',
        kind: 'string',
        label: t('connection.email'),
        half: true,
        maxLength: 200,
        cleared: '',
        help: t('connection.emailHelp'),
      },
      {
        key: 'password',
        kind: 'string',
        label: t('connection.password'),
        half: true,
        secret: true,
        keepSpaces: true,
        maxLength: 200,
        ...(connection ? { placeholder: t('connection.unchanged') } : {}),
      },
      {
        key: 'regions',
        kind: 'tags',
        label: t('connection.regions'),
        maxItems: 64,
        suggestions: regions?.map(({ id }) => id) ?? [],
        help: t('connection.regionsHelp'),
      },
      ...brokerFields(t, connection),
      ...(connection ? [{ key: 'disabled', kind: 'bool' as const, label: t('connection.disabled') }] : []),
    ],
    [t, connection, regions],
  )
  const initial = useMemo(
    () => ({
      name: connection?.name,
      url: connection?.url,
      remoteTenantId: connection?.remoteTenantId,
      email: connection?.email,
      regions: connection?.regions ?? [],
      ...brokerValues(connection),
      disabled: connection?.state === 'disabled',
    }),
    [connection],
  )
  return (
    <FormDrawer
      title={connection ? t('connection.edit') : t('connection.add')}
      fields={fields}
      initial={initial}
      submitText={t('save')}
      onSubmit={async ({ disabled, ...all }, newer) => {
        const { mqtt, rest: values } = brokerOf(all, connection)
        const given = Object.fromEntries(
          Object.entries(values).filter(([key, value]) => value !== null && (value !== '' || key === 'email')),
        )
        if (connection)
          await update.send({
            params: { id: connection.id },
            body: {
              ...given,
              ...mqtt,
              ...(disabled === (connection.state === 'disabled') ? {} : { disabled }),
              version: newer ?? connection.version,
            } as Body<'loraConnections.update'>,
          })
        else await create.send({ body: { ...given, ...mqtt } as Body<'loraConnections.create'> })
        notify.success(t('saved'))
        onClose()
      }}
      onClose={onClose}
    />
  )
}
