import type { TelecomKeyView } from '@thingwright/contracts/telecom.contract'
import { TELECOM_PLATFORMS } from '@thingwright/contracts/telecom.words'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../../lib/api-client.ts'
import { notify } from '../../lib/notify.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import type { Field, Values } from '../../ui/schema-form/field.ts'
import { FormDrawer } from '../../ui/schema-form/form-drawer.tsx'

/** Where the platforms answer when nothing else is said. */
const ADDRESSES = { ctwing: 'https://ag-api.ctwing.cn', onenet: 'https://iot-api.heclouds.com' } as const

/** Adds a key, or changes one; secrets that are left empty stay as they are. */
export function KeyForm({
  telecomKey: key,
  onSaved,
  onClose,
}: {
  telecomKey: TelecomKeyView | null
  onSaved?: ((id: string) => void) | undefined
  onClose: () => void
}) {
  const { t } = useTranslation('telecom')
  const create = useAct('telecom.create')
  const update = useAct('telecom.update')
  const fields = useMemo<Field[]>(() => {
    const isOneNet = (values: Values) => (key?.platform ?? values.platform) === 'onenet'
    const isCtwing = (values: Values) => !isOneNet(values)
    const kept = key ? { placeholder: t('unchanged') } : {}
    const secret = { kind: 'string', secret: true, keepSpaces: true, maxLength: 200, ...kept } as const
    return [
      { key: 'name', kind: 'string', label: t('name'), required: true, maxLength: 64 },
      ...(key
        ? []
        : [
            {
              key: 'platform',
              kind: 'enum' as const,
              label: t('platform'),
              required: true,
              display: 'cards' as const,
              options: TELECOM_PLATFORMS.map(value => ({
                value,
                label: t(`platforms.${value}`),
                help: t(`platformHelp.${value}`),
              })),
            },
          ]),
      {
        key: 'appKey',
        kind: 'string',
        label: t('appKey'),
        required: true,
        maxLength: 100,
        mono: true,
        help: t('appKeyHelp'),
        visible: isCtwing,
      },
      {
        key: 'auth',
        kind: 'enum',
        label: t('auth'),
        display: 'segmented',
        options: (['user', 'product'] as const).map(value => ({ value, label: t(`auths.${value}`) })),
        help: t('authHelp'),
        visible: isOneNet,
      },
      {
        key: 'userId',
        kind: 'string',
        label: t('userId'),
        required: true,
        maxLength: 100,
        mono: true,
        visible: isOneNet,
      },
      { ...secret, key: 'appSecret', label: t('appSecret'), required: key === null, visible: isCtwing },
      {
        ...secret,
        key: 'accessKey',
        label: t('accessKey'),
        required: key === null,
        help: t('accessKeyHelp'),
        visible: isOneNet,
      },
      { ...secret, key: 'token', label: t('token'), help: t('tokenHelp'), visible: isOneNet },
      {
        ...secret,
        key: 'aesKey',
        label: t('aesKey'),
        help: t('aesKeyHelp'),
        maxLength: 16,
        minLength: 16,
        visible: isOneNet,
      },
      {
        key: 'verifyProduct',
        kind: 'string',
        label: t('verifyProduct'),
        maxLength: 64,
        mono: true,
        pattern: /^[A-Za-z0-9_-]+$/,
        patternText: t('verifyProductRule'),
        help: t('verifyProductHelp'),
        visible: isOneNet,
      },
      {
        key: 'baseUrl',
        kind: 'string',
        label: t('baseUrl'),
        maxLength: 300,
        mono: true,
        placeholder: key ? ADDRESSES[key.platform] : t('baseUrlDefault'),
        help: t('baseUrlHelp'),
      },
      {
        key: 'allow',
        kind: 'tags',
        label: t('allow'),
        maxItems: 50,
        maxLength: 50,
        help: t('allowHelp'),
      },
      { key: 'remark', kind: 'string', label: t('remark'), maxLength: 200, rows: 2, cleared: '' },
      ...(key ? [{ key: 'disabled', kind: 'bool' as const, label: t('disabled') }] : []),
    ]
  }, [t, key])
  const initial = useMemo(
    () => ({
      name: key?.name,
      platform: key?.platform ?? 'ctwing',
      appKey: key?.account,
      userId: key?.account,
      auth: key?.auth ?? 'user',
      verifyProduct: key?.verifyProduct ?? undefined,
      baseUrl: key?.baseUrl,
      allow: key?.allow ?? [],
      remark: key?.remark,
      disabled: key?.state === 'disabled',
    }),
    [key],
  )
  return (
    <FormDrawer
      title={key ? t('editTitle') : t('add')}
      fields={fields}
      initial={initial}
      submitText={t('save')}
      onSubmit={async (values, newer) => {
        const { appKey, userId, appSecret, accessKey, platform, disabled, allow, ...rest } = values
        const body = {
          ...Object.fromEntries(
            Object.entries(rest).filter(([name, value]) => name === 'remark' || (value !== null && value !== '')),
          ),
          remark: (rest.remark as string | null) ?? '',
          account: appKey ?? userId,
          allow: allow ?? [],
          ...(appSecret || accessKey ? { appSecret: appSecret || accessKey } : {}),
        }
        if (key)
          await update.send({
            params: { id: key.id },
            body: {
              ...body,
              ...(disabled === (key.state === 'disabled') ? {} : { disabled }),
              version: newer ?? key.version,
            } as Body<'telecom.update'>,
          })
        else {
          const made = await create.send({ body: { ...body, platform } as Body<'telecom.create'> })
          onSaved?.(made.id)
        }
        notify.success(t('saved'))
        onClose()
      }}
      onClose={onClose}
    />
  )
}
