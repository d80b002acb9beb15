import type { PaymentProviderView } from '@thingwright/contracts/payment-providers.contract'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../../../lib/api-client.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import type { Field } from '../../../ui/schema-form/field.ts'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'

/** The keys of a provider of payments; those that are left empty stay as they are. */
export function ProviderDrawer({ provider, onClose }: { provider: PaymentProviderView; onClose: () => void }) {
  const { t } = useTranslation('money')
  const set = useAct('paymentProviders.set')
  const isWechat = provider.kind === 'wechat'
  const fields = useMemo<Field[]>(() => {
    const text = (key: string, pattern: RegExp, rule?: string): Field => ({
      kind: 'string',
      key,
      label: t(`channel.${key}`),
      required: true,
      mono: true,
      half: true,
      maxLength: 80,
      pattern,
      ...(rule ? { patternText: t(rule) } : {}),
    })
    const pem = (key: 'privateKey' | 'platformKey'): Field => ({
      kind: 'string',
      key,
      label: t(`channel.${key}${isWechat ? '' : 'Alipay'}`),
      required: !provider.hasKeys,
      mono: true,
      rows: 5,
      maxLength: 8_000,
      help: t('channel.pemHelp'),
      ...(provider.hasKeys ? { placeholder: t('channel.unchanged') } : {}),
    })
    return [
      text('appId', /^[0-9A-Za-z]{10,32}$/, 'channel.rule.appId'),
      ...(isWechat
        ? [
            text('merchantId', /^\d{8,12}$/, 'channel.rule.merchantId'),
            text('serial', /^[0-9A-Fa-f]{8,64}$/, 'channel.rule.serial'),
            text('platformKeyId', /^[0-9A-Za-z_]{8,80}$/),
          ]
        : []),
      pem('privateKey'),
      pem('platformKey'),
      ...(isWechat
        ? [
            {
              kind: 'string',
              key: 'apiKey',
              label: t('channel.apiKey'),
              required: !provider.hasKeys,
              secret: true,
              mono: true,
              pattern: /^[0-9A-Za-z]{32}$/,
              patternText: t('channel.rule.apiKey'),
              ...(provider.hasKeys ? { placeholder: t('channel.unchanged') } : {}),
            } satisfies Field,
          ]
        : []),
      {
        kind: 'string',
        key: 'baseUrl',
        label: t('channel.baseUrl'),
        required: true,
        mono: true,
        maxLength: 300,
        help: t('channel.baseUrlHelp'),
      },
      { kind: 'bool', key: 'enabled', label: t('channel.enable') },
    ]
  }, [t, provider, isWechat])
  return (
    <FormDrawer
      title={t(`provider.${provider.kind}`)}
      fields={fields}
      initial={{
        appId: provider.appId,
        merchantId: provider.merchantId,
        serial: provider.serial,
        platformKeyId: provider.platformKeyId,
        baseUrl: provider.baseUrl,
        enabled: provider.enabled,
      }}
      submitText={t('save')}
      onClose={onClose}
      onSubmit={async (values, newer) => {
        const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== ''))
        const body = { ...given, version: newer ?? provider.version } as Body<'paymentProviders.set'>
        await set.send({ params: { kind: provider.kind }, body })
        notify.success(t('channel.saved'))
        onClose()
      }}
    />
  )
}
