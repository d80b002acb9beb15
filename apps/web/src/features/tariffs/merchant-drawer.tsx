import type { PaymentProviderView } from '@thingwright/contracts/payment-providers.contract'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../../lib/api-client.ts'
import { notify } from '../../lib/notify.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import type { Field } from '../../ui/schema-form/field.ts'
import { FormDrawer } from '../../ui/schema-form/form-drawer.tsx'
import { METERING } from './hooks.ts'

/** The keys of a merchant account; those that are left empty stay as they are. */
export function MerchantDrawer({ account, onClose }: { account: PaymentProviderView; onClose: () => void }) {
  const { t } = useTranslation('tariffs')
  const set = useAct('merchantAccounts.set', { touches: METERING, notice: false })
  const isWechat = account.kind === 'wechat'
  const fields = useMemo<Field[]>(() => {
    const kept = account.hasKeys ? { placeholder: t('merchant.unchanged') } : {}
    const text = (key: 'appId' | 'merchantId' | 'serial' | 'platformKeyId', pattern: RegExp): Field => ({
      kind: 'string',
      key,
      label: t(`merchant.${key}`),
      required: true,
      mono: true,
      half: true,
      maxLength: 80,
      pattern,
    })
    const pem = (key: string, label: string): Field => ({
      kind: 'string',
      key,
      label,
      required: !account.hasKeys,
      mono: true,
      rows: 5,
      maxLength: 8_000,
      ...kept,
    })
    const apiKey: Field = {
      kind: 'string',
      key: 'apiKey',
      label: t('merchant.apiKey'),
      required: !account.hasKeys,
      secret: true,
      mono: true,
      pattern: /^[0-9A-Za-z]{32}$/,
      patternText: t('merchant.apiKeyRule'),
      ...kept,
    }
    return [
      text('appId', /^[0-9A-Za-z]{10,32}$/),
      ...(isWechat
        ? [
            text('merchantId', /^\d{8,12}$/),
            text('serial', /^[0-9A-Fa-f]{8,64}$/),
            text('platformKeyId', /^[0-9A-Za-z_]{8,80}$/),
          ]
        : []),
      pem('privateKey', t('merchant.privateKey')),
      pem('platformKey', t(`merchant.platformKey.${account.kind}`)),
      ...(isWechat ? [apiKey] : []),
      { kind: 'string', key: 'baseUrl', label: t('merchant.baseUrl'), required: true, mono: true, maxLength: 300 },
      { kind: 'bool', key: 'enabled', label: t('merchant.enable') },
    ]
  }, [t, account, isWechat])
  const { appId, merchantId, serial, platformKeyId, baseUrl, enabled } = account
  return (
    <FormDrawer
      title={t(`way.${account.kind}`)}
      fields={fields}
      initial={{ appId, merchantId, serial, platformKeyId, baseUrl, enabled }}
      submitText={t('save')}
      onClose={onClose}
      onSubmit={async (values, newer) => {
        const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== ''))
        const body = { ...given, version: newer ?? account.version } as Body<'merchantAccounts.set'>
        await set.send({ params: { kind: account.kind }, body })
        notify.success(t('saved'))
        onClose()
      }}
    />
  )
}
