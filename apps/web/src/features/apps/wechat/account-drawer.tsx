import { WECHAT_MODES } from '@thingwright/contracts/apps.words'
import type { WechatAccountView } from '@thingwright/contracts/wechat-accounts.contract'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../../../lib/api-client.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import type { Field } from '../../../ui/schema-form/field.ts'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'

/** Connects the official account, or changes it; secrets that are left empty stay as they are. */
export function AccountDrawer({ account, onClose }: { account: WechatAccountView | null; onClose: () => void }) {
  const { t } = useTranslation('apps')
  const create = useAct('wechatAccounts.create')
  const update = useAct('wechatAccounts.update')
  const fields = useMemo<Field[]>(() => {
    const kept = account ? { placeholder: t('unchanged') } : {}
    const isNew = account === null
    return [
      { kind: 'string', key: 'name', label: t('wechat.name'), required: true, maxLength: 64 },
      {
        kind: 'string',
        key: 'appId',
        label: 'AppID',
        required: true,
        mono: true,
        maxLength: 18,
        pattern: /^wx[0-9a-zA-Z]{16}$/,
        patternText: t('wechat.appIdRule'),
      },
      {
        kind: 'string',
        key: 'appSecret',
        label: 'AppSecret',
        required: isNew,
        secret: true,
        maxLength: 64,
        minLength: 16,
        ...kept,
      },
      {
        kind: 'string',
        key: 'token',
        label: t('wechat.tokenLabel'),
        required: isNew,
        secret: true,
        help: t('wechat.tokenHelp'),
        pattern: /^[A-Za-z0-9]{3,32}$/,
        patternText: t('wechat.tokenRule'),
        maxLength: 32,
        ...kept,
      },
      {
        kind: 'enum',
        key: 'mode',
        label: t('wechat.mode'),
        required: true,
        display: 'cards',
        options: WECHAT_MODES.map(value => ({
          value,
          label: t(`wechat.modes.${value}`),
          help: t(`wechat.modeHelp.${value}`),
        })),
      },
      {
        kind: 'string',
        key: 'aesKey',
        label: 'EncodingAESKey',
        secret: true,
        pattern: /^[A-Za-z0-9]{43}$/,
        patternText: t('wechat.aesKeyRule'),
        maxLength: 43,
        visible: values => values.mode !== 'plain',
        ...(account?.hasAesKey ? kept : {}),
      },
      {
        kind: 'string',
        key: 'baseUrl',
        label: t('wechat.baseUrl'),
        help: t('wechat.baseUrlHelp'),
        mono: true,
        maxLength: 300,
      },
    ]
  }, [t, account])
  return (
    <FormDrawer
      title={account ? t('wechat.edit') : t('wechat.connect')}
      fields={fields}
      initial={{
        name: account?.name,
        appId: account?.appId,
        mode: account?.mode ?? 'encrypted',
        baseUrl: account?.baseUrl,
      }}
      submitText={t('save')}
      onSubmit={async (values, newer) => {
        const given = Object.fromEntries(
          Object.entries(values).filter(([, value]) => value !== null && value !== '' && value !== undefined),
        )
        if (account)
          await update.send({
            params: { id: account.id },
            body: { ...given, version: newer ?? account.version } as Body<'wechatAccounts.update'>,
          })
        else await create.send({ body: given as Body<'wechatAccounts.create'> })
        notify.success(t('saved'))
        onClose()
      }}
      onClose={onClose}
    />
  )
}
