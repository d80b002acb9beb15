import type { ApiKeyDataScope, ApiKeyView, ApiKeyWithSecret } from '@thingwright/contracts/developer.contract'
import type { RoleDataScope } from '@thingwright/contracts/roles.contract'
import { Drawer, Skeleton } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../../../lib/api-client.ts'
import { notify } from '../../../lib/notify.ts'
import { serverNow } from '../../../lib/server-clock.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { scopeIsEmpty } from '../../../ui/rights/right-words.ts'
import { RightsMatrix } from '../../../ui/rights/rights-matrix.tsx'
import { ScopePicker } from '../../../ui/rights/scope-picker.tsx'
import type { Field, Values } from '../../../ui/schema-form/field.ts'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'
import { ErrorState } from '../../../ui/states.tsx'
import { useKeyChoices } from '../hooks.ts'
import { isNetwork } from './networks.ts'

const DAY_MS = 86_400_000
const LIFETIMES = ['30', '90', '365', 'never', 'date'] as const
const SCOPE_KINDS: RoleDataScope['kind'][] = ['all', 'groups', 'products']

/** Makes a key or changes what one may do. */
export function KeyForm({
  apiKey,
  onClose,
  onMade,
}: {
  apiKey: ApiKeyView | null
  onClose: () => void
  /** The new key with its text, which is shown only now. */
  onMade: (apiKey: ApiKeyWithSecret) => void
}) {
  const { t } = useTranslation('developer')
  const create = useAct('apiKeys.create', { done: onMade })
  // After a conflict the form that is opened again begins with what is there now.
  const update = useAct('apiKeys.update', { always: true })
  const choices = useKeyChoices()
  // What the person sees while he works; later news must not change it under his hands.
  const [seen] = useState(apiKey)
  const grantable = choices.data?.grantable
  const fields = useMemo<Field[]>(() => {
    const all = [...new Set([...(grantable ?? []), ...(seen?.scopes ?? [])])]
    return [
      { kind: 'string', key: 'name', label: t('keys.name'), required: true, maxLength: 64, half: true },
      {
        kind: 'enum',
        key: 'environment',
        label: t('keys.environment'),
        display: 'segmented',
        half: true,
        required: true,
        options: (['production', 'test'] as const).map(value => ({ value, label: t(`keys.env.${value}`) })),
      },
      { kind: 'string', key: 'description', label: t('keys.description'), maxLength: 200, rows: 2, cleared: '' },
      {
        kind: 'custom',
        key: 'scopes',
        label: t('keys.scopes'),
        help: t('keys.scopesHelp'),
        required: true,
        check: value => ((value as string[]).length === 0 ? t('keys.scopesEmpty') : null),
        render: input => (
          <RightsMatrix all={all} value={input.value as string[]} onChange={input.onChange} disabled={input.disabled} />
        ),
      },
      {
        kind: 'custom',
        key: 'dataScope',
        label: t('keys.dataScope'),
        help: t('keys.dataScopeHelp'),
        check: value => (scopeIsEmpty(value as RoleDataScope) ? t('keys.scopeEmpty') : null),
        render: input => (
          <ScopePicker
            kinds={SCOPE_KINDS}
            value={input.value as RoleDataScope}
            onChange={input.onChange}
            disabled={input.disabled}
          />
        ),
      },
      {
        kind: 'tags',
        key: 'networks',
        label: t('keys.networks'),
        help: t('keys.networksHelp'),
        maxItems: 50,
        maxLength: 64,
        check: value => {
          const wrong = ((value ?? []) as string[]).find(each => !isNetwork(each))
          return wrong === undefined ? null : t('keys.badNetwork', { network: wrong })
        },
      },
      {
        kind: 'number',
        key: 'requestsPerMinute',
        label: t('keys.rate'),
        help: t('keys.rateHelp'),
        required: true,
        integer: true,
        min: 1,
        max: 60_000,
        unit: t('keys.rateUnit'),
        half: true,
      },
      {
        kind: 'enum',
        key: 'lifetime',
        label: t('keys.expires'),
        help: t('keys.expiresHelp'),
        required: true,
        options: LIFETIMES.map(value => ({ value, label: t(`keys.lifetime.${value}`) })),
        half: true,
      },
      {
        kind: 'date',
        key: 'expiresAt',
        label: t('keys.expiresOn'),
        required: true,
        visible: values => values.lifetime === 'date',
        check: value => (typeof value === 'number' && value <= serverNow() ? t('keys.past') : null),
      },
    ]
  }, [t, grantable, seen])
  const title = seen === null ? t('keys.create') : t('keys.editTitle', { name: seen.name })
  if (!choices.data)
    return (
      <Drawer open size={720} title={title} onClose={onClose}>
        {choices.isError ? (
          <ErrorState error={choices.error} onRetry={() => void choices.refetch()} />
        ) : (
          <Skeleton active paragraph={{ rows: 8 }} />
        )}
      </Drawer>
    )
  return (
    <FormDrawer
      width={720}
      title={title}
      fields={fields}
      initial={seen === null ? NEW_KEY : valuesOf(seen)}
      submitText={seen === null ? t('keys.create') : t('save')}
      note={seen === null ? t('keys.proofNote') : t('keys.atOnce')}
      onClose={onClose}
      onSubmit={async (values, newer) => {
        const body = bodyOf(values)
        if (seen === null) {
          await create.send({ body: body as Body<'apiKeys.create'> })
          return
        }
        await update.send({
          params: { id: seen.id },
          body: { ...body, version: newer ?? seen.version } as Body<'apiKeys.update'>,
        })
        notify.success(t('saved'))
        onClose()
      }}
    />
  )
}

const NEW_KEY: Values = {
  name: '',
  environment: 'production',
  description: '',
  scopes: [],
  dataScope: { kind: 'all' } satisfies ApiKeyDataScope,
  networks: [],
  requestsPerMinute: 600,
  lifetime: '90',
}

function valuesOf(apiKey: ApiKeyView): Values {
  const { name, environment, description, scopes, dataScope, networks, requestsPerMinute, expiresAt } = apiKey
  return {
    name,
    environment,
    description,
    scopes,
    dataScope,
    networks,
    requestsPerMinute,
    lifetime: expiresAt === null ? 'never' : 'date',
    expiresAt: expiresAt === null ? undefined : Date.parse(expiresAt),
  }
}

function bodyOf({ lifetime, expiresAt, ...rest }: Values): Record<string, unknown> {
  const ends =
    lifetime === 'never' ? null : lifetime === 'date' ? (expiresAt as number) : serverNow() + Number(lifetime) * DAY_MS
  return {
    ...rest,
    networks: rest.networks ?? [],
    expiresAt: ends === null ? null : new Date(ends).toISOString(),
  }
}
